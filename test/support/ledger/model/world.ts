import type { SinkCall } from '@temporalio/workflow';
import type { LedgerDatabase, LedgerEntry, PaymentLedger } from '../../../../ledger';
import type { CreateSessionInput } from '../../../../src/protocol/activities';
import { Clock } from './clock';
import { Environment } from './environment';
import { LedgerBackups, type LedgerBackup } from './ledger-backups';
import type { LedgerObserver } from './reachable-ledger';
import type { Run, RunEnd } from './run';
import { SimulatedService, type SentCreate, type ServedSession } from './simulated-service';
import { EMPTY_BACKUP, type AttemptPlace, type TemporalBackup } from './simulated-temporal';
import type { ReceivedWebhook } from './webhooks';
import type { WorkflowCode } from './workflow-code';

/** The parts that all histories of a test share. */
export interface Stage {
  readonly code: WorkflowCode;
  readonly database: LedgerDatabase;
  /** The connections to the ledger, by environment: one for each worker. */
  readonly ledgers: ReadonlyMap<string, readonly PaymentLedger[]>;
  /** A backup of the ledger in its initial state, which has only webhook endpoints. */
  readonly empty: LedgerBackup;
}

/** Facts about the ledger that the model records itself, to compare the ledger with them. A restore of the ledger restores them. */
export interface KnownOfLedger {
  /** The first run of the workflow that got a key last, by environment and key. */
  readonly grants: ReadonlyMap<string, string>;
  /** The lines of reconciliation files that the ledger has recorded. */
  readonly lines: readonly RecordedLine[];
}

/** A line of a reconciliation file that the ledger has recorded. */
export interface RecordedLine {
  readonly environment: string;
  readonly key: string;
  readonly kind: 'settled' | 'returned';
  readonly day: string;
  readonly cents: number;
  /** The session whose money moved at the payment service. */
  readonly sessionId: string;
  /** True if the line contains the session's id. */
  readonly isById: boolean;
}

/** A broken rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export const placeOf = (environment: string, key: string): string => `${environment} ${key}`;

/** The world of one history: two environments with one ledger and one payment service, and the true facts about them. */
export class ModelWorld {
  readonly clock = new Clock();
  readonly service = new SimulatedService();
  readonly environments: readonly Environment[];
  /** The lines that a failing history prints. */
  readonly story: string[] = [];
  /** All received webhooks, in order. */
  readonly received: ReceivedWebhook[] = [];
  /** All ends of each workflow, by its first run, even if no part of the world remembers them. */
  readonly ends = new Map<string, ToldEnd[]>();
  /** The first runs of the workflows whose last run was terminated. The ends of these workflows are not known. */
  readonly terminated = new Set<string>();
  /** The sessions that neither Temporal nor the ledger can know any more, with the reason. */
  readonly forgotten = new Map<string, string>();
  isLedgerAway = false;
  hasLedger = true;
  /** The number of restores of the ledger. After a restore, numbers of lost entries are used again. */
  ledgerRestores = 0;
  temporalRestores = 0;
  known: KnownOfLedger = { grants: new Map(), lines: [] };
  readonly ledgerBackups: { readonly rows: LedgerBackup; readonly known: KnownOfLedger }[];
  readonly temporalBackups: ReadonlyMap<string, TemporalBackup[]>;
  readonly backups: LedgerBackups;
  readonly stage: Stage;
  /** The first rule that was broken. It is recorded, because the code under test might catch an exception. */
  violation: Violation | undefined;
  #ids = 0;

  constructor(stage: Stage) {
    this.stage = stage;
    this.backups = new LedgerBackups(stage.database);
    this.ledgerBackups = [{ rows: stage.empty, known: this.known }];
    this.environments = [...stage.ledgers].map(([name, ledgers]) => this.#environment(name, ledgers));
    this.temporalBackups = new Map(this.environments.map(({ name }) => [name, [EMPTY_BACKUP]]));
  }

  readonly tell = (line: string): void => {
    this.story.push(line);
  };

  broken(message: string): void {
    this.violation ??= new Violation(message);
  }

  /** Returns the ledger's current entries of a key. */
  async entriesOf(environment: Environment, key: string): Promise<readonly LedgerEntry[]> {
    return environment.ledger.entriesOf(key);
  }

  async close(): Promise<void> {
    for (const environment of this.environments) await environment.close();
  }

  /** Records the sessions that no part of the world can know from now on, after something was forgotten for this reason. */
  async noteForgotten(why: string, sessions = this.service.sessions): Promise<void> {
    for (const session of sessions) {
      if (this.forgotten.has(session.sessionId)) continue;
      if (await this.#isKnown(session)) continue;
      const isExcused = this.ledgerRestores > 0 || this.temporalRestores > 0 || !session.sentBy.onLedger;
      if (!isExcused)
        this.broken(`nobody knows of ${session.sessionId} any more, though nothing was restored: ${why}`);
      this.forgotten.set(session.sessionId, why);
      this.tell(`from now on nobody can know of ${session.sessionId}: ${why}`);
    }
  }

  #runsOf({ sentBy }: ServedSession): readonly Run[] {
    const environment = this.environments.find(({ name }) => name === sentBy.environment);
    return environment?.temporal.runs.filter(({ start }) => start.key === sentBy.key) ?? [];
  }

  /** True if a workflow that Temporal has would recognize a second create request for the session's key. */
  #isRemembered(session: ServedSession): boolean {
    return this.#runsOf(session).some((run) => remembers(run, session.sentBy));
  }

  /** True if Temporal or the ledger would recognize a second create request for the session's key. */
  async #isKnown(session: ServedSession): Promise<boolean> {
    if (this.#isRemembered(session)) return true;
    const { sessionId, sentBy } = session;
    const environment = this.environments.find(({ name }) => name === sentBy.environment);
    if (environment === undefined) return false;
    const facts = (await this.entriesOf(environment, sentBy.key)).map(({ fact }) => fact);
    const attempt = `${sentBy.runId}:${sentBy.activityId}`;
    const isNamed = facts.some(
      (fact) =>
        (fact.kind === 'opened' && fact.sessionId === sessionId) ||
        (fact.kind === 'createUnknown' && fact.attempt === attempt),
    );
    if (isNamed) return true;
    // Another workflow would learn from the claim that a create request may have been sent. The same workflow would not.
    const isClaimed = facts.some((fact) => fact.kind === 'claimed' && fact.firstRunId === sentBy.firstRunId);
    return isClaimed && this.#runsOf(session).every(({ start }) => start.firstRunId !== sentBy.firstRunId);
  }

  #environment(name: string, ledgers: readonly PaymentLedger[]): Environment {
    const { service, clock, stage, tell } = this;
    return new Environment({
      name,
      ledgers,
      service,
      code: stage.code,
      clock,
      newId: () => `run-${(this.#ids += 1)}`,
      observer: this.#observer(),
      ended: ({ start, end }) => {
        tell(`${name}: the workflow of ${start.key} (${start.runId}) is ${end?.status ?? ''}${endText(end)}`);
        if (end?.status === 'TERMINATED') this.terminated.add(start.firstRunId);
        else if (end !== undefined) {
          this.terminated.delete(start.firstRunId);
          this.#noteEnd(start.firstRunId, endOfRun(end));
        }
      },
      told: (run, call) => {
        this.#toldEnd(run, call);
      },
      sending: (environment, input, place) => {
        this.#sending(environment, input, place);
      },
      sent: (session, input) => this.#sent(session, input),
      tell: (line) => {
        tell(`${name}: ${line}`);
      },
      isLedgerAway: () => this.isLedgerAway,
      hasLedger: () => this.hasLedger,
    });
  }

  #toldEnd({ start }: Run, { fnName, args }: SinkCall): void {
    if (fnName !== 'ended') return;
    const [told] = args as [{ readonly result?: ToldEnd; readonly failure?: string }];
    this.#noteEnd(start.firstRunId, told.result ?? { paid: false, failure: told.failure });
  }

  #noteEnd(firstRunId: string, end: ToldEnd): void {
    this.ends.set(firstRunId, [...(this.ends.get(firstRunId) ?? []), end]);
  }

  #observer(): LedgerObserver {
    return {
      claimed: (environment, { claim, answer, before }) => {
        const { key, firstRunId, lostCreates = 0 } = claim;
        this.tell(`${environment}: ${key} is claimed for ${firstRunId}: ${JSON.stringify(answer.outcome)}`);
        if (answer.outcome === 'claimed')
          this.#checkClaimed(placeOf(environment, key), { firstRunId, lostCreates, before });
        if (answer.outcome === 'claimed' || answer.outcome === 'created' || answer.outcome === 'unknown')
          this.#grant(environment, key, firstRunId);
      },
      recordedEnd: (environment, { claim: { key, firstRunId }, before, after }) => {
        const isNew = !isClaimed(before, firstRunId) && isClaimed(after, firstRunId);
        const holder = this.known.grants.get(placeOf(environment, key));
        if (!isNew) return;
        this.tell(`${environment}: ${key} is claimed late for ${firstRunId}`);
        // This claim has taken over a session whose first claim the ledger had lost.
        const hasTaken = claimOf(after, firstRunId)?.takesOver !== undefined;
        if (hasTaken || holder === undefined || leftNothing(before, holder))
          this.#grant(environment, key, firstRunId);
      },
    };
  }

  #grant(environment: string, key: string, firstRunId: string): void {
    const grants = new Map(this.known.grants).set(placeOf(environment, key), firstRunId);
    this.known = { ...this.known, grants };
  }

  /**
   * Checks that no workflow may create a session while the ledger knows a session of the key, or create requests that may have
   * created one and that the workflow does not know.
   */
  #checkClaimed(
    place: string,
    {
      firstRunId,
      lostCreates,
      before,
    }: { readonly firstRunId: string; readonly lostCreates: number; readonly before: readonly LedgerEntry[] },
  ): void {
    const opened = before.find(({ fact }) => fact.kind === 'opened');
    if (opened !== undefined) {
      this.broken(`${place} was free for ${firstRunId}, though the ledger knows a session of it`);
      return;
    }
    const unknown = before.filter(({ fact }) => fact.kind === 'createUnknown').length;
    const others = before.flatMap(({ fact }) =>
      fact.kind === 'claimed' && fact.firstRunId !== firstRunId ? [fact] : [],
    );
    const unresolved = new Set(
      others
        .filter(({ isAside, firstRunId: other }) => isAside !== true && !leftNothing(before, other))
        .map((one) => one.firstRunId),
    );
    if (Math.max(unknown, unresolved.size) > lostCreates)
      this.broken(
        `${place} was free for ${firstRunId}, which knows of ${lostCreates} lost creates, though the ledger knows of ${unknown} and of ${unresolved.size} workflows that may have sent one`,
      );
  }

  /** Records that a create request is on its way. */
  #sending({ name }: Environment, { claim: { key } }: CreateSessionInput, { runId }: AttemptPlace): void {
    this.tell(`${name}: ${runId} sends a create of ${key}`);
  }

  /**
   * Checks that no second session is created for a key, unless the workflow knows that it may be the second one. Another session
   * for another request is always a fault. Sessions that no part can know any more do not count.
   */
  async #sent(session: ServedSession, { claim: { lostCreates = 0 } }: CreateSessionInput): Promise<void> {
    const { environment, key } = session.sentBy;
    const earlier = this.service.sessions.filter(
      (one) => one !== session && one.sentBy.environment === environment && one.sentBy.key === key,
    );
    // If a worker that was already running before both restores has created this session, no part may know the earlier one.
    if (earlier.length > 0) await this.noteForgotten('both parts are from before it', earlier);
    // A worker without a ledger can know only the sessions that Temporal knows.
    const before = earlier.filter(
      (one) => !this.forgotten.has(one.sessionId) && (session.sentBy.onLedger || this.#isRemembered(one)),
    );
    const isOther = before.some(({ request }) => JSON.stringify(request) !== JSON.stringify(session.request));
    if ((before.length > 0 && lostCreates === 0) || isOther)
      this.broken(
        `${session.sessionId} is a second payment of ${placeOf(environment, key)} after ${before.map(({ sessionId }) => sessionId).join(', ')}: its workflow knows of ${lostCreates} lost creates`,
      );
  }
}

/** The end of a workflow, as the workflow reports it. */
export interface ToldEnd {
  readonly paid: boolean;
  readonly status?: string;
  readonly failure?: string | undefined;
}

function endOfRun(end: Exclude<RunEnd, { status: 'TERMINATED' }>): ToldEnd {
  if (end.status === 'COMPLETED') return end.result;
  return { paid: false, failure: end.failure.applicationFailureInfo?.type ?? undefined };
}

function endText(end: RunEnd | undefined): string {
  if (end === undefined || end.status === 'TERMINATED') return '';
  const { status = '', failure = '', paid } = endOfRun(end);
  return `: ${status}${failure}${paid ? ', paid' : ''}`;
}

const claimOf = (entries: readonly LedgerEntry[], firstRunId: string) =>
  entries
    .flatMap(({ fact }) => (fact.kind === 'claimed' && fact.firstRunId === firstRunId ? [fact] : []))
    .at(-1);

const isClaimed = (entries: readonly LedgerEntry[], firstRunId: string): boolean =>
  claimOf(entries, firstRunId) !== undefined;

/**
 * True if the ledger's entries prove that a workflow never created a session at the payment service: its last end says so, and
 * no other entry contradicts that.
 */
export function leftNothing(entries: readonly LedgerEntry[], firstRunId: string): boolean {
  const claim = entries.find(({ fact }) => fact.kind === 'claimed' && fact.firstRunId === firstRunId)?.claim;
  const own = entries.filter((entry) => entry.claim === claim).map(({ fact }) => fact);
  const ends = own.flatMap((fact) => (fact.kind === 'ended' ? [fact] : []));
  const last = ends.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)).at(-1);
  return (
    last?.leftNothing === true &&
    own.every(
      (fact) =>
        !['opened', 'createUnknown', 'settled', 'returned'].includes(fact.kind) &&
        !(fact.kind === 'claimed' && (fact.lostCreates ?? 0) > 0),
    )
  );
}

/** True if a run knows that this create request may have been sent, or if it was reset from the run that sent the request. */
function remembers({ start, state }: Run, { runId, activityId }: SentCreate): boolean {
  if (start.resetFrom.includes(runId)) return true;
  if (start.runId !== runId || !state.creates.includes(activityId)) return false;
  const pending = [...state.activities.values()].find((activity) => activity.activityId === activityId);
  // A heartbeat with details says that the worker is about to send the request.
  return pending === undefined || pending.details !== undefined;
}
