import { describe, expect, test } from '@jest/globals';
import { validateSessionRequest, type Address, type SessionRequest } from '../../../src/contract/public';
import { PAYEE_ACCOUNT as account, PAYOR as payor } from '../../support/requests';
import type { SessionRequestOptions } from '../../../src/contract/session-request';

// The numbers in the test names, such as A11, are rules of the contract (docs/contract.md).

/** `npm run check:types` fails if a line under `@ts-expect-error` compiles, or if any other line does not. */

const address: Address = {
  addressLine1: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  country: 'CA',
  postalCode: 'M5H1A1',
};
const eft = { type: 'EFT', direction: 'DEBIT' } as const;
const eTransfer = { type: 'e-Transfer', direction: 'CREDIT' } as const;
const unguaranteed = { guarantee: { enable: false } } as const;
const guaranteed = { guarantee: { enable: true } } as const;

function failingPaths(request: unknown): readonly string[] {
  const checked = validateSessionRequest(request, { guaranteeOptionalForETransfer: true });
  return checked.valid ? [] : checked.failures.map(({ path }) => path);
}

describe('a request does not compile, and is refused at run time, if it is', () => {
  test('A11 an EFT credit', () => {
    // @ts-expect-error an EFT is a debit
    const request: SessionRequest = { type: 'EFT', direction: 'CREDIT', options: unguaranteed, payor };
    expect(failingPaths(request)).toEqual(['direction']);
  });

  test('A27 a guaranteed EFT without an address', () => {
    // @ts-expect-error the payor has no address
    const request: SessionRequest = { ...eft, options: { guarantee: { enable: true } }, payor };
    expect(failingPaths(request)).toEqual(['payor.address']);
  });

  test('A27 a guaranteed EFT with the address null', () => {
    // @ts-expect-error the payor has no address
    const request: SessionRequest = { ...eft, options: guaranteed, payor: { ...payor, address: null } };
    expect(failingPaths(request)).toEqual(['payor.address']);
  });

  test('A27 a guaranteed e-Transfer without an address', () => {
    // @ts-expect-error the payor has no address
    const request: SessionRequest = { ...eTransfer, options: guaranteed, payor };
    expect(failingPaths(request)).toEqual(['payor.address']);
  });

  test('A27 an EFT without an address, with a guarantee that is chosen at run time', () => {
    const options: SessionRequestOptions = { guarantee: { enable: Boolean('yes') } };
    // @ts-expect-error the payor has no address
    const request: SessionRequest = { ...eft, options, payor };
    expect(failingPaths(request)).toEqual(['payor.address']);
  });

  test('A15 an EFT without the field options.guarantee', () => {
    // @ts-expect-error the guarantee is missing
    const request: SessionRequest = { ...eft, options: {}, payor };
    expect(failingPaths(request)).toEqual(['options.guarantee']);
  });

  test('A31 a regular EFT with a payee', () => {
    // @ts-expect-error a regular EFT settles to the client's account
    const request: SessionRequest = { ...eft, options: unguaranteed, payor, payee: { account } };
    // @ts-expect-error with the payor's address, too
    const other: SessionRequest = { ...request, payor: { ...payor, address }, payee: { account } };
    expect([failingPaths(request), failingPaths(other)]).toEqual([['payee'], ['payee']]);
  });

  test('A10 a request with a misspelt field', () => {
    // @ts-expect-error the field is `amount`
    const request: SessionRequest = { ...eft, options: unguaranteed, payor, amont: 25 };
    expect(failingPaths(request)).toEqual(['amont']);
  });
});

describe('a valid request compiles', () => {
  const isLarge = (amount: number): boolean => amount > 1_000;

  test.each<[string, SessionRequest]>([
    ['EFT', { ...eft, amount: 25, options: unguaranteed, payor }],
    ['EFT, payee null', { ...eft, options: unguaranteed, payor: { ...payor, address }, payee: null }],
    ['GEFT', { ...eft, options: guaranteed, payor: { ...payor, address }, payee: { account } }],
    ['e-Transfer debit', { ...eTransfer, direction: 'DEBIT', options: unguaranteed, payor }],
    ['e-Transfer without guarantee', { ...eTransfer, options: {}, payor }],
    ['guaranteed e-Transfer', { ...eTransfer, options: guaranteed, payor: { ...payor, address } }],
    ['e-Transfer with a payee', { ...eTransfer, options: unguaranteed, payor, payee: { account } }],
  ])('%s', (_kind, request) => {
    expect(failingPaths(request)).toEqual([]);
  });

  test('that is built step by step', () => {
    const options = { ...unguaranteed, limits: { maximumAmount: 100 } } satisfies SessionRequestOptions;
    const request: SessionRequest = { ...eft, options, payor };
    request.amount = 25;
    const changed: SessionRequest = { ...request, referenceId: 'order-1042' };
    expect(failingPaths(changed)).toEqual([]);
  });

  test('that is checked with `satisfies`', () => {
    const request = {
      type: 'e-Transfer',
      direction: 'CREDIT',
      options: { guarantee: { enable: false } },
      payor,
    } satisfies SessionRequest;
    expect(failingPaths(request)).toEqual([]);
  });

  test('that is made from a request of another kind by a spread', () => {
    const regular = (): SessionRequest => ({ ...eft, options: { guarantee: { enable: false } }, payor });
    const transfer: SessionRequest = { ...regular(), type: 'e-Transfer' };
    const withGuarantee: SessionRequest = { ...regular(), options: guaranteed, payor: { ...payor, address } };
    expect([failingPaths(transfer), failingPaths(withGuarantee)]).toEqual([[], []]);
  });

  test('that has an address, with a guarantee that is chosen at run time', () => {
    const options = { guarantee: { enable: isLarge(25) } };
    const debit: SessionRequest = { ...eft, options, payor: { ...payor, address } };
    const transfer: SessionRequest = { ...eTransfer, options, payor: { ...payor, address } };
    expect([failingPaths(debit), failingPaths(transfer)]).toEqual([[], []]);
  });

  test('with a type that is chosen at run time, if the other fields suit both types', () => {
    const type = isLarge(25) ? 'EFT' : 'e-Transfer';
    const request: SessionRequest = { type, direction: 'DEBIT', options: unguaranteed, payor };
    expect(failingPaths(request)).toEqual([]);
  });

  test('that was parsed from JSON and then validated', () => {
    const read: unknown = JSON.parse(JSON.stringify({ ...eft, options: unguaranteed, payor }));
    const checked = validateSessionRequest(read);
    const request: SessionRequest | undefined = checked.valid ? checked.request : undefined;
    expect(request).toEqual(read);
  });
});
