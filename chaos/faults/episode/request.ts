import type { SessionPolicy, SessionRequest } from '../../../src';
import type { plantCanaries } from '../../../test/support/canary/canaries';
import type { SessionPlan } from '../plan/plan';

/** The payment of a request, and its names. */
export interface Named {
  readonly key: string;
  /** Several keys may have the same one. */
  readonly referenceId: string;
}

/** A policy that polls often, so that an episode is short. */
export const QUICK_POLICY: SessionPolicy = {
  fastestPoll: '500ms',
  slowestPoll: '1s',
  slowestUnsignedPoll: '500ms',
  refreshSpacing: '200ms',
};

/** No browser opens this URL. It names the session's key, and the session's details do not show it. */
const KEY_URL = 'http://127.0.0.1/key/';

/** Returns a payment whose parties are recognizable wherever they are written. */
export function requestOf(
  kind: SessionPlan['kind'],
  { key, referenceId }: Named,
  { payor, payee }: ReturnType<typeof plantCanaries>,
): SessionRequest {
  return {
    type: kind === 'e-Transfer' ? 'e-Transfer' : 'EFT',
    direction: 'DEBIT',
    amount: 25,
    options: { guarantee: { enable: kind === 'GEFT' }, redirectPreferences: { urlExit: KEY_URL + key } },
    payor,
    ...(kind === 'GEFT' && { payee }),
    referenceId,
  } as SessionRequest;
}

/** Returns the key of the session that a request creates; empty if it has none. */
export function keyIn({ options }: SessionRequest): string {
  return options.redirectPreferences?.urlExit?.replace(KEY_URL, '') ?? '';
}
