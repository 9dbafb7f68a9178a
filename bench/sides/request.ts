import type { SessionRequest } from '../../src';

/**
 * Returns the request of a session: the same payment for all sessions.
 *
 * @param referenceId may name a scenario of the sandbox
 */
export function requestOf(referenceId: string): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    options: { guarantee: { enable: false } },
    payor: { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' },
    referenceId,
  };
}
