import { describe, expect, test } from '@jest/globals';
import { isSamePerson } from '../../../sandbox/flow/account-holder-is-payor';
import { createSandbox } from '../../../sandbox';
import { parseAmount } from '../../../sandbox/flow/next-step';
import { returnOfControl } from '../../../sandbox/flow/layout';
import { checkFrameAncestors } from '../../../sandbox/options';

// The numbers in the test names, such as A56, are rules of the contract (docs/contract.md).

const HOME = { addressLine1: '12, rue de l’Église', postalCode: 'H2X1Y4' };
const address = { ...HOME, city: 'Montréal', province: 'QC', country: 'CA' } as const;

describe('the identity match', () => {
  const match = (holder: [string, string], payor: [string, string], guaranteed = false) =>
    isSamePerson(
      { firstName: holder[0], lastName: holder[1], address: HOME },
      { firstName: payor[0], lastName: payor[1], email: 'x@example.com', address },
      { guaranteed },
    );

  test.each<[[string, string], [string, string], boolean, boolean]>([
    [['Avery', 'Tremblay'], ['Avery', 'Tremblay'], true, true],
    [['AVERY', 'TREMBLAY'], ['avery', 'tremblay'], true, true],
    [['Elodie', 'OBRIEN ROY'], ['Élodie', "O'Brien-Roy"], true, true],
    [[' Avery ', 'Tremblay'], ['Avery', 'Tremblay'], true, true],
    [['A.', 'Tremblay'], ['Avery', 'Tremblay'], true, false],
    [['Avery', 'Tremblay'], ['A', 'Tremblay'], true, false],
    [['B.', 'Tremblay'], ['Avery', 'Tremblay'], false, false],
    [['Av', 'Tremblay'], ['Avery', 'Tremblay'], false, false],
    [['Avery', 'T.'], ['Avery', 'Tremblay'], false, false],
    [['Tremblay', 'Avery'], ['Avery', 'Tremblay'], false, false],
    [['美玲', '王'], ['美玲', '王'], true, true],
    [['美玲', '李'], ['美玲', '王'], false, false],
    [['--', '!!'], ['--', '??'], false, false],
    [['--', '!!'], ['--', '!!'], true, true],
  ])(
    'A56 the account holder %j matches the payor %j: %s for a regular EFT, %s for a guaranteed EFT',
    (holder, payor, regular, guaranteed) => {
      expect([match(holder, payor), match(holder, payor, true)]).toEqual([regular, guaranteed]);
    },
  );

  test.each<[string, typeof HOME | null, boolean]>([
    ['in another spelling', { addressLine1: '12 RUE DE L EGLISE', postalCode: 'h2x 1y4' }, true],
    ['of another postal code', { ...HOME, postalCode: 'H2X1Y5' }, false],
    ['of another house', { ...HOME, addressLine1: '13, rue de l’Église' }, false],
    ['that is unknown', null, false],
  ])('A56 of a guaranteed EFT, with a bank address %s, is %s', (_case, bankAddress, same) => {
    const holder = { firstName: 'Avery', lastName: 'Roy', address: bankAddress };
    const payor = { firstName: 'Avery', lastName: 'Roy', email: 'x@example.com', address };
    expect(isSamePerson(holder, payor, { guaranteed: true })).toBe(same);
    expect(isSamePerson(holder, payor, { guaranteed: false })).toBe(true);
  });
});

test.each([
  ['25', 25],
  ['25.5', 25.5],
  ['25,50', 25.5],
  [' 1 250.00 $', 1250],
  ['1\u00a0250,00', 1250],
  ['0.01', 0.01],
  ['1,250', undefined],
  ['1,250.00', undefined],
  ['1.2.3', undefined],
  ['.5', undefined],
  ['-1', undefined],
  ['0x10', undefined],
  ['1e2', undefined],
  ['Infinity', undefined],
  ['', undefined],
])('A13 the amount typed as %j is %s', (text, amount) => {
  expect(parseAmount(text)).toBe(amount);
});

// At the end, the flow returns control to the merchant's page: it redirects, or posts a message to that page.
describe('the return of control', () => {
  const success = 'https://shop.example/done?a=1';
  const exit = 'https://shop.example/exit';
  const returnsOfControl = (
    mode: 'JsEvents' | 'RedirectUri',
    urls: [string | null, string | null],
    ancestors = ['*'],
  ) =>
    (['SUCCESS', 'EXIT'] as const).map((outcome) => {
      const [urlSuccess, urlExit] = urls;
      const back = returnOfControl(
        { redirectPreferences: { mode, urlSuccess, urlExit } },
        outcome,
        ancestors,
      );
      return back.by === 'redirect' ? back.url : `${back.step} to ${back.targetOrigin}`;
    });
  const messages = (origin: string) => [`SUCCESS to ${origin}`, `EXIT to ${origin}`];

  test('A61 RedirectUri redirects to the URL of the outcome', () => {
    expect(returnsOfControl('RedirectUri', [success, exit])).toEqual([success, exit]);
  });

  test('A17 for an outcome without a URL, RedirectUri sends a message as JsEvents does', () => {
    expect(returnsOfControl('RedirectUri', [null, null])).toEqual(messages('*'));
    expect(returnsOfControl('RedirectUri', [success, null])).toEqual([
      success,
      'EXIT to https://shop.example',
    ]);
    expect(returnsOfControl('RedirectUri', [null, exit])).toEqual(['SUCCESS to https://shop.example', exit]);
  });

  test('A61 JsEvents never redirects, and sends messages to the merchant’s origin if it is known', () => {
    expect(returnsOfControl('JsEvents', [null, null])).toEqual(messages('*'));
    expect(returnsOfControl('JsEvents', [success, exit])).toEqual(messages('https://shop.example'));
    expect(returnsOfControl('JsEvents', [null, exit])).toEqual(messages('https://shop.example'));
    expect(returnsOfControl('JsEvents', [success, 'https://other.example/'])).toEqual(messages('*'));
  });

  test.each<[string[], string]>([
    [['https://pay.example:8443'], 'https://pay.example:8443'],
    [['https://a.example', 'https://b.example'], 'https://shop.example'],
    [['https://*.example'], 'https://shop.example'],
    [["'self'"], 'https://shop.example'],
  ])('A61 with frameAncestors %j, messages go to %s', (ancestors, origin) => {
    expect(returnsOfControl('JsEvents', [success, exit], ancestors)).toEqual(messages(origin));
  });
});

describe('frameAncestors', () => {
  test.each([
    '*',
    "'self'",
    "'none'",
    'https:',
    'https://shop.example',
    'http://localhost:3000',
    'https://*.shop.example',
    'http://[::1]:80',
  ])('A60 accepts %s', (source) => {
    expect(() => {
      checkFrameAncestors([source]);
    }).not.toThrow();
  });

  test.each([
    '',
    'shop.example',
    'https://shop.example/path',
    'https://a.example; script-src *',
    'https://a b',
    'javascript:',
    '*.example',
    "'unsafe-inline'",
    'https://a\nb',
  ])('A60 refuses %j', (source) => {
    expect(() => createSandbox({ frameAncestors: ['*', source] })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTINGS' }),
    );
  });

  test('A60 refuses an empty list', () => {
    expect(() => createSandbox({ frameAncestors: [] })).toThrow('the list is empty');
  });
});
