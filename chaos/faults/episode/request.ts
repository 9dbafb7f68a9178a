import type { SessionPolicy, SessionRequest } from '../../../src';
import type { plantCanaries } from '../../../test/support/canary/canaries';
import type { SessionPlan } from '../plan/plan';

/** The names that a request contains for its session and its payment. */
export interface Named {
  readonly key: string;
  /** The reference of the payment. Several keys may have the same reference. */
  readonly referenceId: string;
}

/** A policy that polls often, so that an episode is short. */
export const QUICK_POLICY: SessionPolicy = {
  fastestPoll: '500ms',
  slowestPoll: '1s',
  slowestUnsignedPoll: '500ms',
  refreshSpacing: '200ms',
};

/**
 * The beginning of a URL that contains the session's key. The campaign reads the key from the request. No browser opens the URL, and the
 * session's details do not contain it.
 */
const KEY_URL = 'http://127.0.0.1/key/';

/** Returns a request with unique personal data. A search finds this data in any place where it should not be. */
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

/** Returns the key of the session that a request creates, or an empty string if the request names no key. */
export function keyIn({ options }: SessionRequest): string {
  return options.redirectPreferences?.urlExit?.replace(KEY_URL, '') ?? '';
}
