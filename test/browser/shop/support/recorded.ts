import type { PaymentSessions } from '../../../../src';

/** Returns all states that the session’s workflow has recorded, each as a text with status, code and source. */
export async function recorded(sessions: PaymentSessions, key: string): Promise<readonly string[]> {
  const history = await sessions.get(key).stateHistory();
  return history.map(({ status, code, source }) => [status, code, source].filter(Boolean).join(' '));
}
