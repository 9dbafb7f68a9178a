import { isPaid, sessionKind, type SessionKind } from '../../../../src/contract';
import type { SessionRequest } from '../../../../src';
import { ServiceError, type ServiceErrorCode, type ServiceFailure } from '../../../../src/errors';
import type { IdentifiedSession } from '../../../../src/protocol/activities';

/** A session at the simulated payment service, with the facts against which the ledger is checked. */
export interface ServedSession {
  readonly sessionId: string;
  readonly environment: string;
  readonly request: SessionRequest;
  readonly kind: SessionKind;
  /** The create request that opened the session, and its sender. */
  readonly sentBy: SentCreate;
  /** Each state that it had, as `status/code`, oldest first. */
  readonly states: readonly string[];
  /** The day on which its money arrived. */
  readonly settledOn?: string;
  /** The day on which its money came back. */
  readonly returnedOn?: string;
}

/** A create request that has reached the service. */
export interface SentCreate {
  readonly environment: string;
  readonly key: string;
  readonly firstRunId: string;
  readonly runId: string;
  readonly activityId: string;
  /** True if its worker had a ledger. */
  readonly onLedger: boolean;
}

const STATES = {
  pays: 'Completed/EFT0301',
  validates: 'Completed/EFT0302',
  fails: 'Failed/EFT0404',
  expires: 'Expired/EFT0601',
  cancelled: 'Cancelled/EFT0501',
} as const;

/** An act of a payor. `expires` means that the payor does nothing. */
export type PayorAct = Exclude<keyof typeof STATES, 'cancelled'>;
export const PAYOR_ACTS = ['pays', 'validates', 'fails', 'expires'] as const satisfies readonly PayorAct[];

const stateOf = ({ states }: ServedSession): string => states.at(-1) ?? '';
export const statusOf = (session: ServedSession): string => stateOf(session).split('/')[0] ?? '';

/** True if the service will move the session's money. */
export function isPaidFor(session: ServedSession): boolean {
  const [status, code] = stateOf(session).split('/');
  return isPaid(session.kind, { status, ...(code !== '' && { code }) });
}

/** A payment service that creates sessions in memory, and reports their states. */
export class SimulatedService {
  readonly #sessions: ServedSession[] = [];

  get sessions(): readonly ServedSession[] {
    return this.#sessions;
  }

  create(request: SessionRequest, sentBy: SentCreate): ServedSession {
    const number = String(this.#sessions.length + 1);
    const kind = sessionKind(request);
    const session: ServedSession = {
      // The id has letters, so that its spelling in capitals differs. All ids have the same first characters.
      sessionId: `abcd${number.padStart(4, '0')}-0000-4000-8000-${number.padStart(12, '0')}`,
      environment: sentBy.environment,
      request,
      kind,
      sentBy,
      states: [kind === 'e-Transfer' ? 'Initiated/' : 'Initiated/EFT0101'],
    };
    this.#sessions.push(session);
    return session;
  }

  find(sessionId: string): ServedSession | undefined {
    return this.#sessions.find((one) => one.sessionId === sessionId.toLowerCase());
  }

  /** Performs an act of the payor. Returns false if the session does not allow it, for instance because it has ended. */
  act(sessionId: string, act: PayorAct): boolean {
    const session = this.find(sessionId);
    if (session === undefined) return false;
    const isUnsigned = stateOf(session) === STATES.validates;
    const isOpen = statusOf(session) === 'Initiated' || (isUnsigned && act === 'pays');
    if (!isOpen || (session.kind === 'e-Transfer' && act === 'validates')) return false;
    this.#become(session, STATES[act]);
    return true;
  }

  /** Records the day on which the money of a session arrived or came back. */
  move(sessionId: string, moved: Pick<ServedSession, 'settledOn' | 'returnedOn'>): void {
    const session = this.find(sessionId);
    if (session !== undefined) this.#replace(session, { ...session, ...moved });
  }

  details(sessionId: string): IdentifiedSession {
    const session = this.find(sessionId);
    if (session === undefined) throw refusal('SERVICE_SESSION_UNKNOWN', 404);
    const [status = '', code = ''] = stateOf(session).split('/');
    const { type, direction, referenceId = null, amount } = session.request;
    const sum = amount == null ? {} : { amount };
    return {
      snapshot: { status, ...(code !== '' && { code }), ...sum },
      identity: { type, direction, referenceId, guaranteed: session.kind === 'GEFT', ...sum },
    };
  }

  cancel(sessionId: string): IdentifiedSession['snapshot'] {
    const session = this.find(sessionId);
    if (session === undefined) throw refusal('SERVICE_SESSION_UNKNOWN', 404);
    if (statusOf(session) !== 'Initiated') throw refusal('SERVICE_REQUEST_REJECTED', 400);
    this.#become(session, STATES.cancelled);
    return this.details(sessionId).snapshot;
  }

  #become(session: ServedSession, state: string): void {
    const named = session.kind === 'e-Transfer' ? state.replace(/\/.*/, '/') : state;
    this.#replace(session, { ...session, states: [...session.states, named] });
  }

  #replace(session: ServedSession, after: ServedSession): void {
    this.#sessions[this.#sessions.findIndex((one) => one.sessionId === session.sessionId)] = after;
  }
}

export const failure = (code: ServiceErrorCode, status?: number): ServiceFailure => ({
  code,
  message: code,
  ...(status !== undefined && { status }),
});

const refusal = (code: ServiceErrorCode, status: number): ServiceError =>
  new ServiceError(failure(code, status));
