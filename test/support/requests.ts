import type { PaymentSessionInput } from '../../src';
import type { SessionRequest } from '../../src/contract/public';
import type { SessionRequestOptions } from '../../src/contract/session-request';

// Valid create requests of each kind, with made-up payors and payees.

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

/** Returns a request that pays money to the payor. */
export function credit(referenceId?: string) {
  return { ...eTransfer(referenceId), direction: 'CREDIT' } satisfies SessionRequest;
}

type Kind = (referenceId: string) => SessionRequest;

/** Returns a request whose session stays `Initiated` until it is cancelled or a test plays its payor. */
export const leftOpen = (kind: Kind = eft): SessionRequest => kind('sandbox-stays-initiated');

/** Returns a request whose session the sandbox’s payor completes at once. */
export const completing = (kind: Kind = eft): SessionRequest => kind('sandbox-completes');

/** Returns a request whose payor validates the bank account at once, and never signs the PAD agreement. */
export const leftUnsigned = (kind: Kind = eft): SessionRequest => kind('sandbox-awaits-signature');

/** Returns a valid request that the sandbox rejects because of its amount. */
export const overTheLimit = (referenceId?: string): SessionRequest => ({
  ...eft(referenceId),
  amount: 10_000.01,
});

/** Returns an input with the same key and another request. */
export function anotherPayment(input: PaymentSessionInput): PaymentSessionInput {
  return { ...input, request: { ...input.request, amount: 26 } };
}

/** Returns the request with more options, and the same guarantee. */
export function asking<Request extends SessionRequest>(
  request: Request,
  options: Omit<SessionRequestOptions, 'guarantee'>,
): Request {
  return { ...request, options: { ...request.options, ...options } };
}

/** Returns the request without its amount, so that the payor enters one. */
export function withoutAmount({ amount, ...request }: SessionRequest): SessionRequest {
  return request;
}

/** A payee's account, for a guaranteed EFT. */
export const PAYEE_ACCOUNT = { accountNumber: '0001234567', transitNumber: '00011', institutionCode: '002' };
