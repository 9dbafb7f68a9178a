import type { PaymentSessions } from '../../../../src';

/** Returns every state that the session's workflow has recorded: status, code and source. */
export async function recorded(sessions: PaymentSessions, key: string): Promise<readonly string[]> {
  const history = await sessions.get(key).stateHistory();
  return history.map(({ status, code, source }) => [status, code, source].filter(Boolean).join(' '));
}
