import type { SessionPolicy, SessionRequest } from '../../../src';
import type { plantCanaries } from '../../../test/support/canary/canaries';
import type { SessionPlan } from '../plan/plan';

/** Whose payment a request is for, and what it is called. */
export interface Named {
  readonly key: string;
  /** Several keys may have one. */
  readonly referenceId: string;
}

/** Has a session followed closely, so that an episode is short. */
export const QUICK_POLICY: SessionPolicy = {
  fastestPoll: '500ms',
  slowestPoll: '1s',
  slowestUnsignedPoll: '500ms',
  refreshSpacing: '200ms',
};

/** Nobody goes there: it says whose the session is, and does not show in the session's details. */
const KEY_URL = 'http://127.0.0.1/key/';

/** A payment whose parties are found wherever they are written down. */
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

/** The key of the session that a request creates; empty if it is nobody's. */
export function keyIn({ options }: SessionRequest): string {
  return options.redirectPreferences?.urlExit?.replace(KEY_URL, '') ?? '';
}
