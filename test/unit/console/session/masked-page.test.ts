import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { isRecord } from '../../../../src/contract/values/json';
import { eft, geft, PAYEE_ACCOUNT } from '../../../support/requests';
import { testSeed } from '../../../support/seed';
import { OPERATOR, PAGE_OPTIONS, viewOf } from '../../../support/console/session-page';
import {
  maskedMetadata,
  maskedRequest,
  MASK,
  revealedRequest,
} from '../../../../console/session/personal-fields';

/** A request with every field that the contract has. */
const FULL = {
  ...geft('ORDER-1'),
  currency: 'CAD',
  payor: {
    ...geft().payor,
    middleName: 'Camille',
    occupation: 'Luthier',
    birthDate: '1984-02-29',
    address: { ...geft().payor.address, addressLine2: 'Back door', unit: '12b' },
  },
  payee: { account: { ...PAYEE_ACCOUNT, accountLabel: 'Payroll' }, accountLabel: 'Rent' },
  accountLabel: 'Trust',
  options: {
    guarantee: { enable: true },
    notificationPreferences: { language: 'FR', sendNetworkLink: true },
    showConsentScreen: false,
    limits: { minimumAmount: 1, maximumAmount: 90 },
    amountModification: false,
    redirectPreferences: {
      mode: 'RedirectUri',
      urlSuccess: 'https://shop.example/avery/paid',
      urlExit: 'https://shop.example/avery/left',
    },
  },
};

describe('the request on a session’s page', () => {
  test('shows the facts of the payment, and masks the payor, the payee and the payor’s return addresses', () => {
    const shown = maskedRequest(FULL, 'ORDER-1').filter(({ isMasked }) => !isMasked);
    expect(Object.fromEntries(shown.map(({ path, text }) => [path, text]))).toEqual({
      type: 'EFT',
      direction: 'DEBIT',
      currency: 'CAD',
      amount: '25',
      referenceId: 'ORDER-1',
      'options.guarantee.enable': 'true',
      'options.notificationPreferences.language': 'FR',
      'options.notificationPreferences.sendNetworkLink': 'true',
      'options.showConsentScreen': 'false',
      'options.limits.minimumAmount': '1',
      'options.limits.maximumAmount': '90',
      'options.amountModification': 'false',
      'options.redirectPreferences.mode': 'RedirectUri',
    });
  });

  test('masks the reference if the merchant keeps the reference out of the Temporal server’s index', () => {
    const page = sessionFragment(viewOf(FULL, {}, { referenceId: null }), OPERATOR, PAGE_OPTIONS).text;
    expect(page).not.toContain('ORDER-1');
    expect(page).toContain(MASK);
  });

  test('shows searchable metadata, and masks other metadata until they are revealed', () => {
    const metadata = { customer: 'cus_42', note: 'call Avery' };
    const view = viewOf(FULL, {}, { metadata: { customer: 'cus_42' } });
    const input = { key: 'order-1', request: eft(), metadata };
    const page = sessionFragment({ ...view, stored: { input } }, OPERATOR, PAGE_OPTIONS).text;
    expect(page).toContain('metadata.customer');
    expect(page).toContain('cus_42');
    expect(page).toContain('metadata.note');
    expect(page).not.toContain('call Avery');
    expect(maskedMetadata(metadata, metadata)).toContainEqual({
      path: 'metadata.note',
      text: 'call Avery',
      isMasked: false,
    });
  });

  test('links to all payments of the customer, or without a ledger to the customer’s sessions', () => {
    const view = viewOf(FULL, {}, { metadata: { customer: 'a+b 7' } });
    const pageOf = (more: object) => sessionFragment({ ...view, ...more }, OPERATOR, PAGE_OPTIONS).text;
    expect(pageOf({ money: {} })).toContain('href="/payments?customer=a%2Bb+7"');
    expect(pageOf({})).not.toContain('/payments');
    expect(pageOf({})).toContain('href="/sessions?customer=a%2Bb+7"');
  });

  test('masks a value of the wrong type, and both name and value of an unknown field', () => {
    const request = {
      ...FULL,
      currency: 'Avery Tremblay',
      amount: 'Avery',
      Nickname: 'Avvy',
      'payor.unit': 7,
    };
    const page = maskedRequest(request, 'ORDER-1');
    expect(JSON.stringify(page)).not.toMatch(/Avery|Avvy|Nickname|"7"|payor\.unit/);
    expect(revealedRequest(request)).toContainEqual({ path: 'Nickname', text: 'Avvy', isMasked: false });
  });

  test('shows no personal value of any request anywhere on the page', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), requests, (anything, known) => {
        const request = { ...known, ...(isRecord(anything) ? anything : { anything }) };
        const view = viewOf(request, { phase: 'ended', referenceId: null }, { referenceId: null });
        const page = sessionFragment(view, OPERATOR, PAGE_OPTIONS).text;
        for (const secret of secretsIn(known)) expect(page).not.toContain(secret);
      }),
      { seed: testSeed(), numRuns: 200 },
    );
  });

  test('is shown as locked if the console lacks the key, and as invalid if it is not a request', () => {
    const { stored: _stored, ...view } = viewOf(FULL);
    const pageOf = (unreadable: 'ENCRYPTION_KEY_MISSING' | 'notAnInput') =>
      sessionFragment({ ...view, stored: { unreadable } }, OPERATOR, PAGE_OPTIONS).text;
    expect(pageOf('ENCRYPTION_KEY_MISSING')).toContain(
      'encrypted with a key that this console does not have',
    );
    expect(pageOf('notAnInput')).toContain('not a payment request');
    expect(pageOf('notAnInput')).not.toContain('/reveal');
  });
});

/** A random text that the page does not contain otherwise. */
const secret = fc.uuid().map((id) => `secret-${id}`);

/** Random requests, with fields of the contract and other fields. Each value is a secret. */
const requests = fc.dictionary(
  fc.constantFrom('payor', 'payee', 'options', 'type', 'amount', 'referenceId', 'accountLabel', 'other'),
  fc.oneof(
    secret,
    fc.dictionary(
      fc.constantFrom('firstName', 'address', 'account', 'redirectPreferences', 'limits', 'guarantee', 'x.y'),
      fc.oneof(secret, fc.dictionary(fc.constantFrom('city', 'mode', 'enable', 'urlExit', 'new'), secret)),
    ),
  ),
);

function secretsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}
