import type { SessionRequest } from '../../src/contract';

/** Valid creation requests, one of each kind, with invented parties. */

const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery.tremblay@example.com' };

const address = {
  addressLine1: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  country: 'CA',
  postalCode: 'M5H1A1',
} as const;

export function eft(referenceId?: string): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    options: { guarantee: { enable: false } },
    payor,
    ...(referenceId !== undefined && { referenceId }),
  };
}

export function geft(referenceId?: string): SessionRequest {
  return { ...eft(referenceId), options: { guarantee: { enable: true } }, payor: { ...payor, address } };
}

export function eTransfer(referenceId?: string): SessionRequest {
  return { ...eft(referenceId), type: 'e-Transfer' };
}

/** The request with other options. */
export function asking(request: SessionRequest, options: Partial<SessionRequest['options']>): SessionRequest {
  return { ...request, options: { ...request.options, ...options } };
}

/** The request with an amount that the payor enters. */
export function withoutAmount({ amount, ...request }: SessionRequest): SessionRequest {
  return request;
}

/** An account of a payee, for a guaranteed EFT. */
export const PAYEE_ACCOUNT = { accountNumber: '0001234567', transitNumber: '00011', institutionCode: '002' };
