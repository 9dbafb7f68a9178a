import type { SessionState, StateHistoryEntry } from '../../../src';
import { isSessionCode, isSessionStatus } from '../../../src/contract/statuses';

/** What a recorded session has come to, as plainly as a table can hold it. */
export interface Ending {
  readonly phase: SessionState['phase'];
  /** Each state seen, oldest first: `Completed/EFT0301 poll`, the source last. */
  readonly states: readonly string[];
  /** Kinds, oldest first. */
  readonly anomalies: readonly string[];
  /** Who asked, and what became of it: `caller: lostToCompletion`. */
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

/** A status or code that is not known is a fake in what is exported, and so it is here. */
function stateOf({ status, code = '', source }: StateHistoryEntry): string {
  const known = [
    isSessionStatus(status) ? status : UNKNOWN,
    code === '' || isSessionCode(code) || code === 'EFT0402' ? code : UNKNOWN,
  ];
  return `${known.filter(Boolean).join('/')} ${source}`;
}

export const UNKNOWN = '(unknown)';

/** The ending of a session that failed before it could answer anything. */
export const failedUnheard = (code: string): Ending => ({
  phase: 'ended',
  states: [],
  anomalies: [],
  failure: code,
});

type Rest = Partial<Omit<Ending, 'phase' | 'states'>>;

/** A session that ended, by a result or by a failure. */
export const ended = (states: readonly string[], rest: Rest = {}): Ending => ({
  phase: 'ended',
  states,
  anomalies: [],
  ...rest,
});

/** A session that is not over. */
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
