import type { FailureDetails, SessionResult } from './session';

/** The state and the history of a session that has ended with a result. */
export function endedWith({ stateHistory, ...known }: SessionResult): FailureDetails {
  return { state: { phase: 'ended', ...known }, stateHistory };
}
