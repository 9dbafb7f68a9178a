import { isSessionCode } from '../../../../src/contract/statuses';
import type { Observation } from '../../../../workflows/record/session-record';

/** A simple model of a session’s record. It shares no code with `workflows/record/next.ts`, so it can check that file. */
export interface Model {
  readonly opened: boolean;
  readonly parked: boolean;
  readonly ended: boolean;
  readonly unsigned: boolean;
  /** Each observed state, as `status/code`. */
  readonly states: readonly string[];
  /** The number of possible orphans: create requests whose session may be open at the service. */
  readonly orphans: number;
  readonly cancel?: string;
}

export const NEW_MODEL: Model = {
  opened: false,
  parked: false,
  ended: false,
  unsigned: false,
  states: [],
  orphans: 0,
};

/**
 * Returns how far a state is: 0 for open, 1 for Completed without the final code, 2 for ended. Returns `undefined` for an unknown
 * state.
 */
function stage(state: string): number | undefined {
  const [status = ''] = state.split('/');
  if (status === 'Initiated') return 0;
  if (status === 'Completed') return state === 'Completed/EFT0301' ? 2 : 1;
  return ['Completed', 'Failed', 'Cancelled', 'Expired'].includes(status) ? 2 : undefined;
}

/** The outcome of a cancel, by the status in which the session ended. */
const OUTCOMES: Readonly<Record<string, string>> = {
  Completed: 'lostToCompletion',
  Failed: 'lostToFailure',
  Expired: 'lostToExpiry',
  Cancelled: 'cancelled',
};

/** True if the workflow can make this observation when the session is in the model’s state. */
export function isPossible(model: Model, { type }: Observation): boolean {
  const pending = model.cancel === 'pending';
  switch (type) {
    case 'created':
      return !model.opened;
    case 'createParked':
      return !model.opened && !model.parked;
    case 'createUnparked':
    case 'adopted':
      return model.parked;
    case 'possibleOrphan':
      return !model.opened;
    case 'cancelledBeforeCreate':
      return !model.opened && pending;
    case 'seen':
      return model.opened;
    case 'signatureDeadlinePassed':
      return model.states.at(-1) === 'Completed/EFT0302' && !pending;
    case 'unclearDeadlinePassed':
      return stage(model.states.at(-1) ?? '') === 1 && !pending;
    default:
      return true;
  }
}

/** Returns the model after an observation. */
export function expected(model: Model, observation: Observation): Model {
  if (model.ended) return model;
  switch (observation.type) {
    case 'created':
      return { ...model, opened: true, parked: false, states: [...model.states, 'Initiated/EFT0101'] };
    case 'createParked':
    case 'createUnparked':
      return { ...model, parked: observation.type === 'createParked' };
    case 'adopted':
      return afterReport({ ...model, opened: true, parked: false }, observation.snapshot);
    case 'possibleOrphan':
      return { ...model, orphans: model.orphans + 1 };
    case 'cancelRequested':
      return { ...model, cancel: 'pending' };
    case 'cancelledBeforeCreate': {
      const states = [...model.states, 'Cancelled/'];
      return {
        ...model,
        parked: false,
        ended: true,
        states,
        cancel: model.orphans > 0 ? 'possiblyCreated' : 'neverCreated',
      };
    }
    case 'signatureDeadlinePassed':
      return { ...model, ended: true, unsigned: true };
    case 'unclearDeadlinePassed':
      return { ...model, ended: true };
    case 'seen':
      return afterReport(model, observation.snapshot);
    default:
      return model;
  }
}

function afterReport(model: Model, report: { readonly status: string; readonly code?: string }): Model {
  const current = model.states.at(-1) ?? '';
  const [status, knownCode = ''] = current.split('/');
  const kept = report.status === status && isSessionCode(knownCode) ? knownCode : '';
  const state = `${report.status}/${report.code ?? kept}`;
  const reached = stage(state);
  const furthest = Math.max(...model.states.map((seen) => stage(seen) ?? 0));
  if (reached !== undefined && reached < furthest) return model;
  const states = state === current ? model.states : [...model.states, state];
  const settles = model.cancel !== undefined && (reached ?? 0) > 0;
  return {
    ...model,
    states,
    ended: reached === 2,
    ...(settles && { cancel: OUTCOMES[report.status] ?? 'unknown' }),
  };
}
