import type { PaymentSessionInput } from '../../src';
import type { SessionRequest } from '../../src/contract/public';
import type { SessionRequestOptions } from '../../src/contract/session-request';

/** Valid creation requests, one of each kind, with invented parties. */

export const PAYOR = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery.tremblay@example.com' };

const address = {
  addressLine1: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  country: 'CA',
  postalCode: 'M5H1A1',
} as const;

export function eft(referenceId?: string) {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    options: { guarantee: { enable: false } },
    payor: PAYOR,
    ...(referenceId !== undefined && { referenceId }),
  } satisfies SessionRequest;
}

export function geft(referenceId?: string) {
  return {
    ...eft(referenceId),
    options: { guarantee: { enable: true } },
    payor: { ...PAYOR, address },
  } satisfies SessionRequest;
}

export function eTransfer(referenceId?: string) {
  return { ...eft(referenceId), type: 'e-Transfer' } satisfies SessionRequest;
}

/** A payout. */
export function credit(referenceId?: string) {
  return { ...eTransfer(referenceId), direction: 'CREDIT' } satisfies SessionRequest;
}

type Kind = (referenceId: string) => SessionRequest;

/** Its page is never opened: the session stays `Initiated` until it is cancelled or its payor acts. */
export const leftOpen = (kind: Kind = eft): SessionRequest => kind('sandbox-stays-initiated');

/** Its payor completes it at once. */
export const completing = (kind: Kind = eft): SessionRequest => kind('sandbox-completes');

/** Its payor's bank account is validated, and the PAD agreement is never signed. */
export const leftUnsigned = (kind: Kind = eft): SessionRequest => kind('sandbox-awaits-signature');

/** Valid by the contract, but refused by the service. */
export const overTheLimit = (referenceId?: string): SessionRequest => ({
  ...eft(referenceId),
  amount: 10_000.01,
});

/** The same key for another payment. */
export function anotherPayment(input: PaymentSessionInput): PaymentSessionInput {
  return { ...input, request: { ...input.request, amount: 26 } };
}

/** The request with other options, and the same guarantee. */
export function asking<Request extends SessionRequest>(
  request: Request,
  options: Omit<SessionRequestOptions, 'guarantee'>,
): Request {
  return { ...request, options: { ...request.options, ...options } };
}

/** The request with an amount that the payor enters. */
export function withoutAmount({ amount, ...request }: SessionRequest): SessionRequest {
  return request;
}

/** An account of a payee, for a guaranteed EFT. */
export const PAYEE_ACCOUNT = { accountNumber: '0001234567', transitNumber: '00011', institutionCode: '002' };
