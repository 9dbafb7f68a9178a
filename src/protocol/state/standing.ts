import {
  awaitsSignature,
  isPaid,
  isSessionKind,
  isSessionStatus,
  isUnclear,
  type SessionKind,
} from '../../contract/statuses';
import type { SessionPhase } from './recorded';

/**
 * The standings of a session. A standing is the one word that pages and commands show about a session. Each has a tone:
 * - `good`: paid.
 * - `busy`: on its way.
 * - `attention`: a person may have to act.
 * - `bad`: failed or terminated.
 * - `quiet`: over without payment, or unknown.
 */
export const STANDINGS = {
  creating: 'busy',
  parked: 'attention',
  open: 'busy',
  unsigned: 'busy',
  unclear: 'attention',
  unknownStatus: 'attention',
  cancelling: 'busy',
  paid: 'good',
  /** The session was paid, and its money came back. */
  returned: 'attention',
  endedUnsigned: 'quiet',
  endedUnclear: 'attention',
  endedUnverified: 'attention',
  failed: 'bad',
  cancelled: 'quiet',
  expired: 'quiet',
  /** The workflow failed, usually because the session could not be created. */
  neverOpened: 'bad',
  terminated: 'bad',
  /** The session is over. Its status is absent, or unknown to this version. */
  over: 'quiet',
  /** No source shows the standing. */
  unknown: 'quiet',
} as const satisfies Readonly<Record<string, 'good' | 'busy' | 'attention' | 'bad' | 'quiet'>>;

export type Standing = keyof typeof STANDINGS;

/**
 * The known facts about a session. They come from its state, from a line of a list, or from one entry of its history, which has
 * no phase.
 */
export interface KnownOfSession {
  readonly kind?: string;
  readonly phase?: SessionPhase;
  readonly status?: string;
  readonly code?: string;
  /** @default the meaning of kind, status and code */
  readonly paid?: boolean;
  readonly unsigned?: boolean;
  readonly unverified?: boolean;
  readonly problems?: readonly string[];
  /** The failure of the workflow. */
  readonly failure?: unknown;
  /** True if the ledger says that the session's money came back. */
  readonly returned?: boolean;
  /** The way in which the workflow closed. */
  readonly outcome?: 'ended' | 'failed' | 'terminated';
}

/**
 * Returns a session's standing. If several apply, the first of these decides: the return of an ended session's money, the
 * failure or termination of its workflow, the phase, the payment service's status.
 */
export function standingOf(known: KnownOfSession): Standing {
  const { outcome, failure, phase } = known;
  if (known.returned === true && isOver(known)) return 'returned';
  if (outcome === 'terminated') return 'terminated';
  if (outcome === 'failed' || failure !== undefined) return 'neverOpened';
  switch (phase) {
    case 'creating':
    case 'parked':
    case 'cancelling':
      return phase;
    case 'open':
      return whileOpen(known);
    case 'ended':
      return atTheEnd(known);
    default:
      return asReported(known);
  }
}

/** True if the session is over. If it is not over, pages show its next step, even if money came back. */
const isOver = ({ outcome, failure, phase }: KnownOfSession): boolean =>
  outcome !== undefined || failure !== undefined || phase === 'ended';

function whileOpen(known: KnownOfSession): Standing {
  const { status } = known;
  if (awaitsSignature(known)) return 'unsigned';
  if (isUnclear(kindOf(known), known)) return 'unclear';
  return status === undefined || isSessionStatus(status) ? 'open' : 'unknownStatus';
}

function atTheEnd(known: KnownOfSession): Standing {
  if (isKnownPaid(known)) return 'paid';
  if (known.unverified === true || known.problems?.includes('unverifiedEnd') === true)
    return 'endedUnverified';
  if (known.unsigned === true || awaitsSignature(known)) return 'endedUnsigned';
  return known.status === 'Completed' ? 'endedUnclear' : (unpaidEnd(known) ?? 'over');
}

function asReported(known: KnownOfSession): Standing {
  if (known.status === undefined) return 'unknown';
  if (isKnownPaid(known)) return 'paid';
  return unpaidEnd(known) ?? whileOpen(known);
}

function unpaidEnd({ status }: KnownOfSession): Standing | undefined {
  switch (status) {
    case 'Failed':
      return 'failed';
    case 'Cancelled':
      return 'cancelled';
    case 'Expired':
      return 'expired';
    default:
      return undefined;
  }
}

const isKnownPaid = (known: KnownOfSession): boolean => known.paid ?? isPaid(kindOf(known), known);

/**
 * Returns the kind. Returns `EFT` for an unknown kind, so that a `Completed` without a code counts as unclear, and not as paid.
 */
const kindOf = ({ kind = '' }: KnownOfSession): SessionKind => (isSessionKind(kind) ? kind : 'EFT');
