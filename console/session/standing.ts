import { awaitsSignature, isSessionStatus, isUnclear } from '../../src/contract';
import type { SessionState } from '../../src/protocol/session';
import type { Tone } from '../../web/shell/tone';
import type { SessionView } from './view';

/** Where a session stands, in the words of a page. */
export type Standing =
  | 'creating'
  | 'parked'
  | 'open'
  | 'unsigned'
  | 'unclear'
  | 'unknownStatus'
  | 'cancelling'
  | 'paid'
  | 'endedUnsigned'
  | 'endedUnclear'
  | 'endedUnverified'
  | 'failed'
  | 'cancelled'
  | 'expired'
  /** The workflow failed: there never was a session, or it was lost. */
  | 'neverOpened'
  | 'terminated'
  | 'over'
  | 'unknown';

export const TONES: Readonly<Record<Standing, Tone>> = {
  creating: 'busy',
  parked: 'attention',
  open: 'busy',
  unsigned: 'busy',
  unclear: 'attention',
  unknownStatus: 'attention',
  cancelling: 'busy',
  paid: 'good',
  endedUnsigned: 'quiet',
  endedUnclear: 'attention',
  endedUnverified: 'attention',
  failed: 'bad',
  cancelled: 'quiet',
  expired: 'quiet',
  neverOpened: 'bad',
  terminated: 'bad',
  over: 'quiet',
  unknown: 'quiet',
};

/** By what the session says; where it says nothing, by what the engine's index has of it. */
export function standingOf({ known, summary }: SessionView): Standing {
  if (summary?.outcome === 'terminated') return 'terminated';
  if (known !== undefined && (known.state.phase === 'ended' || summary?.running !== false))
    return standingOfState(known.state);
  if (summary === undefined) return 'unknown';
  const { kind, phase, status, code, paid, outcome } = summary;
  if (outcome === 'failed') return 'neverOpened';
  if (phase === undefined) return 'unknown';
  const isKind = kind === 'EFT' || kind === 'GEFT' || kind === 'e-Transfer';
  if (!isKind) return phase === 'ended' ? 'over' : 'unknown';
  return standingOfState({
    phase,
    kind,
    paid,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
  });
}

type Stood = Pick<
  SessionState,
  'phase' | 'kind' | 'paid' | 'status' | 'code' | 'failure' | 'unsigned' | 'unverified'
>;

function standingOfState(state: Stood): Standing {
  switch (state.phase) {
    case 'creating':
    case 'parked':
    case 'cancelling':
      return state.phase;
    case 'open':
      return openStanding(state);
    case 'ended':
      return endedStanding(state);
  }
}

function openStanding(state: Stood): Standing {
  const { status } = state;
  if (awaitsSignature(state)) return 'unsigned';
  if (isUnclear(state.kind, state)) return 'unclear';
  return status !== undefined && !isSessionStatus(status) ? 'unknownStatus' : 'open';
}

function endedStanding(state: Stood): Standing {
  if (state.failure !== undefined) return 'neverOpened';
  if (state.paid) return 'paid';
  if (state.unverified) return 'endedUnverified';
  if (state.unsigned || awaitsSignature(state)) return 'endedUnsigned';
  switch (state.status) {
    case 'Completed':
      return 'endedUnclear';
    case 'Failed':
      return 'failed';
    case 'Cancelled':
      return 'cancelled';
    case 'Expired':
      return 'expired';
    default:
      return 'over';
  }
}
