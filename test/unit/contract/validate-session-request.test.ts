import { describe, expect, test } from '@jest/globals';
import { validateAsService, validateSessionRequest, type RequestRules } from '../../../src/contract';
import { referenceFailures } from '../../../src/protocol/input';
import { eft, eTransfer, geft } from '../../support/requests';

// The numbers in the test names, such as A20, are rules of the contract (docs/contract.md).

type Path = string;

/** Returns the paths of a request's invalid members. The list of a valid request is empty. */
function failingPaths(request: unknown, rules?: RequestRules): Path[] {
  const result = validateSessionRequest(request, rules);
  return result.valid ? [] : result.failures.map(({ path }) => path);
}

/** Returns a copy of a request with this value at a dotted path. `undefined` removes the member. */
function set(request: object, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(request) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent = copy;
  for (const name of names) parent = (parent[name] ??= {}) as Record<string, unknown>;
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return copy;
}

const ACCOUNT = { accountNumber: '1234567', transitNumber: '12345', institutionCode: '123' };

const textOf = (length: number) => 'é'.repeat(length);

describe('the check of a request', () => {
  test.each([eft(), geft(), eTransfer()])(
    'accepts $type with guarantee $options.guarantee.enable',
    (request) => {
      expect(failingPaths(request)).toEqual([]);
    },
  );

  test('A20 ignores unknown fields', () => {
    expect(failingPaths({ ...eft(), colour: 'blue', payor: { ...eft().payor, shoeSize: 9 } })).toEqual([]);
  });

  test.each([
    ['amont', 'amount'],
    ['Amount', 'amount'],
    ['reference', 'referenceId'],
    ['payor.fristName', 'firstName'],
    ['payor.address.postcalCode', 'postalCode'],
    ['options.guarante', 'guarantee'],
    ['options.guarantee.enabled', 'enable'],
    ['options.limits.minimumAmout', 'minimumAmount'],
    ['payee.acount', 'account'],
    ['payee.account.acountNumber', 'accountNumber'],
  ])('A20 refuses the misspelt field %s, and suggests %s', (path, meant) => {
    const { accountNumber, transitNumber, institutionCode } = ACCOUNT;
    const payee = { account: { accountNumber, transitNumber, institutionCode } };
    const request = set({ ...geft(), payee }, 'options.limits', {});
    expect(validateSessionRequest(set(request, path, 25))).toEqual({
      valid: false,
      failures: [{ path, message: expect.stringMatching(new RegExp(`; did you mean ${meant}\\?$`)) }],
    });
    expect(failingPaths(set(request, path, undefined))).toEqual([]);
    // The payment service itself ignores misspelt fields.
    expect(validateAsService(set(request, path, 25))).toMatchObject({ valid: true });
  });

  test('A20 lists only a few of a hundred thousand misspelt fields', () => {
    const many: Record<string, unknown> = { ...eft(), amont: 1 };
    for (const end of ['', 'x']) {
      for (let index = 0; index < 100_000; index += 1)
        many[`amount${index % 10}${' '.repeat(index % 2)}\n${index}${end}`] = 1;
    }
    const result = validateSessionRequest(many);
    expect(JSON.stringify(result).length).toBeLessThan(2_000);
  });

  test.each([undefined, null, 'text', 7, []])('A20 refuses %p, which is not a request', (input) => {
    expect(failingPaths(input)).toEqual(['request']);
  });
});

describe('a field of a request', () => {
  test.each([
    ['A11', 'type', 'EFT2'],
    ['A11', 'type', undefined],
    ['A11', 'direction', 'debit'],
    ['A11', 'direction', undefined],
    ['A12', 'currency', 'USD'],
    ['A13', 'amount', 0],
    ['A13', 'amount', -1],
    ['A13', 'amount', 0.005],
    ['A13', 'amount', 1.005],
    ['A13', 'amount', Number.NaN],
    ['A13', 'amount', '25'],
    ['A13', 'amount', 1e21],
    ['A13', 'amount', 70_368_744_177_664.02],
    ['A15', 'options', undefined],
    ['A15', 'options.guarantee', undefined],
    ['A15', 'options.guarantee.enable', 'yes'],
    ['A16', 'options.notificationPreferences.language', 'DE'],
    ['A16', 'options.notificationPreferences.sendNetworkLink', 1],
    ['A16', 'options.amountModification', 'true'],
    ['A16', 'options.showConsentScreen', 'true'],
    ['A17', 'options.redirectPreferences.mode', 'Popup'],
    ['A17', 'options.redirectPreferences.urlSuccess', '/thanks'],
    ['A17', 'options.redirectPreferences.urlExit', 'javascript:alert(1)'],
    ['A18', 'payor.firstName', undefined],
    ['A18', 'payor.lastName', '   '],
    ['A18', 'payor.firstName', textOf(101)],
    ['A18', 'payor.firstName', 'Avery \ud83c'],
    ['A18', 'payor.middleName', '\udf41'],
    ['A18', 'payor.middleName', textOf(101)],
    ['A18', 'payor.email', 'avery.example.com'],
    ['A18', 'payor.email', `${'a'.repeat(90)}@example.com`],
    ['A19', 'payor.birthDate', '1990-02-30'],
    ['A19', 'payor.birthDate', '01-02-29'],
    ['A19', 'payor.birthDate', '90/01/02'],
    ['A32', 'referenceId', ''],
    ['A32', 'referenceId', 'a'.repeat(37)],
    ['A32', 'referenceId', 'with space'],
    ['A32', 'referenceId', 'with_underscore'],
    ['A32', 'referenceId', 'newline\n'],
  ])('%s %s %p is refused', (_rule, path, value) => {
    expect(new Set(failingPaths(set(eft(), path, value)))).toEqual(new Set([path]));
  });

  test.each([
    ['A12', 'currency', 'CAD'],
    ['A13', 'amount', 0.01],
    ['A13', 'amount', 0.07],
    ['A13', 'amount', 1.15],
    ['A13', 'amount', 4.35],
    ['A13', 'amount', 1e-2],
    ['A13', 'amount', null],
    ['A13', 'amount', undefined],
    ['A16', 'options.showConsentScreen', null],
    ['A17', 'options.redirectPreferences.urlSuccess', 'https://shop.example/thanks?order=1'],
    ['A17', 'options.redirectPreferences.urlExit', null],
    ['A18', 'payor.firstName', textOf(100)],
    ['A18', 'payor.firstName', '😀'.repeat(100)],
    ['A18', 'payor.email', `${'a'.repeat(88)}@example.com`],
    ['A19', 'payor.middleName', null],
    ['A19', 'payor.address', null],
    ['A19', 'payor.birthDate', '90-12-31'],
    ['A19', 'payor.birthDate', '2000-02-29'],
    ['A19', 'payor.birthDate', '00-02-29'],
    ['A32', 'referenceId', 'a'.repeat(36)],
    ['A32', 'referenceId', 'Order-1042'],
    ['A32', 'referenceId', null],
  ])('%s %s %p passes', (_rule, path, value) => {
    expect(failingPaths(set(eft(), path, value))).toEqual([]);
  });
});

describe('in a payor’s address', () => {
  test.each(['addressLine1', 'city', 'province', 'postalCode', 'country'])('A25 %s is required', (name) => {
    expect(failingPaths(set(geft(), `payor.address.${name}`, undefined))).toEqual([`payor.address.${name}`]);
  });

  test.each([
    ['A25', 'city', textOf(101)],
    ['A26', 'province', 'on'],
    ['A26', 'country', 'US'],
    ['A26', 'postalCode', 'M5H 2N2'],
    ['A26', 'postalCode', 'M5H2N'],
    ['A26', 'postalCode', 'M5H2N22'],
  ])('%s %s %p is refused', (_rule, name, value) => {
    expect(failingPaths(set(geft(), `payor.address.${name}`, value))).toEqual([`payor.address.${name}`]);
  });

  test.each(['M5H2N2', 'h2eh2e'])('A26 postalCode %s passes', (postalCode) => {
    expect(failingPaths(set(geft(), 'payor.address.postalCode', postalCode))).toEqual([]);
  });

  test.each([null, undefined])(
    'A27 %p for the whole address is refused if a guarantee is enabled',
    (address) => {
      expect(failingPaths(set(geft(), 'payor.address', address))).toEqual(['payor.address']);
    },
  );
});

describe('a rule about several fields', () => {
  test('A11 refuses an EFT with the direction CREDIT, and accepts an e-Transfer with it', () => {
    expect(failingPaths({ ...eft(), direction: 'CREDIT' })).toEqual(['direction']);
    expect(failingPaths({ ...geft(), direction: 'CREDIT' })).toEqual(['direction']);
    expect(failingPaths({ ...eTransfer(), direction: 'CREDIT' })).toEqual([]);
  });

  test('A14 limits the amount to the client’s minimum and maximum, or to those of the request', () => {
    const rules = { minimumAmount: 10, maximumAmount: 100 };
    const withLimits = (amount: number, limits?: object) =>
      set({ ...eft(), amount }, 'options.limits', limits);
    expect([9.99, 10, 100, 100.01].map((amount) => failingPaths(withLimits(amount), rules).length)).toEqual([
      1, 0, 0, 1,
    ]);
    expect(failingPaths(withLimits(500, { maximumAmount: 1_000 }), rules)).toEqual([]);
    expect(failingPaths(withLimits(5, { minimumAmount: 1, maximumAmount: null }), rules)).toEqual([]);
    expect(failingPaths(withLimits(0.3, { minimumAmount: 0.1 + 0.2 }), rules)).toEqual([]);
    expect(failingPaths(withLimits(115, { maximumAmount: 1.15 * 100 }), rules)).toEqual([]);
    expect(failingPaths(withLimits(5, { minimumAmount: 9, maximumAmount: 8 }), rules)).toEqual([
      'options.limits',
    ]);
  });

  test('A15 with guaranteeOptionalForETransfer, lets an e-Transfer omit the guarantee, but not an EFT', () => {
    const rules = { guaranteeOptionalForETransfer: true };
    expect(failingPaths(set(eTransfer(), 'options.guarantee', undefined), rules)).toEqual([]);
    expect(failingPaths(set(eft(), 'options.guarantee', undefined), rules)).toEqual(['options.guarantee']);
  });

  test('A31 refuses a payee of a regular EFT, and accepts the payee null', () => {
    const account = { accountNumber: '0001234', transitNumber: '00011', institutionCode: '003' };
    expect(failingPaths({ ...eft(), payee: { account } })).toEqual(['payee']);
    expect(failingPaths({ ...eft(), payee: null })).toEqual([]);
    expect(failingPaths({ ...geft(), payee: { account } })).toEqual([]);
  });

  test.each([
    ['accountNumber', '123456'],
    ['accountNumber', '1234567890123'],
    ['accountNumber', 1234567],
    ['transitNumber', '1234'],
    ['institutionCode', '03'],
    ['institutionCode', undefined],
  ])('A37 refuses a payee with the %s %p', (name, value) => {
    const account = { accountNumber: '0001234', transitNumber: '00011', institutionCode: '003' };
    const request = set({ ...geft(), payee: { account } }, `payee.account.${name}`, value);
    expect(failingPaths(request)).toEqual([`payee.account.${name}`]);
  });

  test('A38 refuses a reference with half a surrogate pair, in the client and in the workflow', () => {
    const reference = 'order-\ud83d';
    expect(validateSessionRequest(geft(reference))).toMatchObject({ valid: false });
    expect(referenceFailures(reference)).toHaveLength(1);
  });

  test('A38 accepts 1 to 100 characters of any kind as the reference of a GEFT or e-Transfer', () => {
    for (const request of [geft(), eTransfer()]) {
      const lengths = [0, 1, 100, 101].map(
        (length) => failingPaths({ ...request, referenceId: textOf(length) }).length,
      );
      expect(lengths).toEqual([1, 0, 0, 1]);
    }
  });

  test('A21 has its failures in the list of the failures of single fields', () => {
    const request = {
      ...eft(),
      direction: 'CREDIT',
      amount: 0.001,
      payor: { email: 'x' },
      payee: { account: {} },
    };
    expect(new Set(failingPaths(request))).toEqual(
      new Set([
        'amount',
        'direction',
        'payee',
        'payee.account.accountNumber',
        'payee.account.institutionCode',
        'payee.account.transitNumber',
        'payor.email',
        'payor.firstName',
        'payor.lastName',
      ]),
    );
  });
});

describe('the check of a request', () => {
  test('ignores an inherited amount, which JSON does not contain', () => {
    const { amount, ...rest } = eft();
    const result = validateSessionRequest(Object.assign(Object.create({ amount }) as object, rest));
    expect(result).toMatchObject({ valid: true });
    expect(result.valid && 'amount' in result.request).toBe(false);
  });

  test('reports an inherited payor as missing, because JSON does not contain it', () => {
    const { payor, ...rest } = eft();
    expect(failingPaths(Object.assign(Object.create({ payor }) as object, rest))).toEqual(['payor']);
  });

  test('refuses an email address of ten million characters', () => {
    expect(failingPaths(set(eft(), 'payor.email', 'a'.repeat(10_000_000)))).toEqual(['payor.email']);
  });
});
