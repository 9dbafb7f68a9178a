import type { SessionState, StateHistoryEntry } from '../../../src';
import { isSessionCode, isSessionStatus } from '../../../src/contract/statuses';

/** The last state of a recorded session, in the short form of `histories.expected.json`. */
export interface Ending {
  readonly phase: SessionState['phase'];
  /** The observed states, oldest first. Each has status, code and source, such as `Completed/EFT0301 poll`. */
  readonly states: readonly string[];
  /** The kinds of the session's anomalies, oldest first. */
  readonly anomalies: readonly string[];
  /** Requester and outcome of the cancel, such as `caller: lostToCompletion`. */
  readonly cancel?: string;
  readonly unsigned?: true;
  readonly unverified?: true;
  /** Code of the last failed call, while calls are failing. */
  readonly trouble?: string;
  /** Code of the failure that ended the workflow. */
  readonly failure?: string;
}

export function endingOf(state: SessionState, stateHistory: readonly StateHistoryEntry[]): Ending {
  const { phase, anomalies, cancel, unsigned, unverified, trouble, failure } = state;
  return {
    phase,
    states: stateHistory.map(stateOf),
    anomalies: anomalies.map(({ kind }) => kind),
    ...(cancel !== undefined && { cancel: `${cancel.by}: ${cancel.outcome ?? 'pending'}` }),
    ...(unsigned !== undefined && { unsigned }),
    ...(unverified !== undefined && { unverified }),
    ...(trouble !== undefined && { trouble: trouble.code }),
    ...(failure !== undefined && { failure: failure.code }),
  };
}

/** Formats a state. Recording replaces an unknown status or code by a random text. So this writes a fixed text in its place. */
function stateOf({ status, code = '', source }: StateHistoryEntry): string {
  const known = [
    isSessionStatus(status) ? status : UNKNOWN,
    code === '' || isSessionCode(code) || code === 'EFT0402' ? code : UNKNOWN,
  ];
  return `${known.filter(Boolean).join('/')} ${source}`;
}

export const UNKNOWN = '(unknown)';

/** Returns the end of a session that failed before it could answer a query. */
export const failedUnheard = (code: string): Ending => ({
  phase: 'ended',
  states: [],
  anomalies: [],
  failure: code,
});

type Rest = Partial<Omit<Ending, 'phase' | 'states'>>;

/** Returns the end of a session that ended with a result or a failure. */
export const ended = (states: readonly string[], rest: Rest = {}): Ending => ({
  phase: 'ended',
  states,
  anomalies: [],
  ...rest,
});

/** Returns the last state of a session that has not ended. */
export const stays = (phase: SessionState['phase'], states: readonly string[], rest: Rest = {}): Ending => ({
  phase,
  states,
  anomalies: [],
  ...rest,
});

export const OPENED = 'Initiated/EFT0101 create';
export const COMPLETED = 'Completed/EFT0301 poll';
export const VALIDATED = 'Completed/EFT0302 poll';
export const CANCELLED = 'Cancelled/EFT0501 cancel';
export const NEVER_OPENED = 'Cancelled cancel';
