import type { SessionRequest } from '../../../src';
import type { plantCanaries } from '../../canary/canaries';
import type { SessionPlan } from '../plan/plan';

/** A payment whose parties are found wherever they are written down. */
export function requestOf(
  kind: SessionPlan['kind'],
  referenceId: string,
  { payor, payee }: ReturnType<typeof plantCanaries>,
): SessionRequest {
  return {
    type: kind === 'e-Transfer' ? 'e-Transfer' : 'EFT',
    direction: 'DEBIT',
    amount: 25,
    options: { guarantee: { enable: kind === 'GEFT' } },
    payor,
    ...(kind === 'GEFT' && { payee }),
    referenceId,
  } as SessionRequest;
}
