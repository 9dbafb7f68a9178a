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
  /** A backup of the initial ledger, which has only webhook endpoints. Each history begins with it. */
  readonly empty: LedgerBackup;
}

/** The contents that the ledger should have, as the model has recorded them. If the ledger is restored, these facts are restored with it. */
export interface KnownOfLedger {
  /** By environment and key: the first run of the workflow that got the key last. */
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

/** The world of one history: two environments that share a ledger and a payment service, and the true facts about both. */
export class ModelWorld {
  readonly clock = new Clock();
  readonly service = new SimulatedService();
  readonly environments: readonly Environment[];
  /** One line for each thing that happened. A failing history prints these lines. */
  readonly story: string[] = [];
  /** All received webhooks, in order. */
  readonly received: ReceivedWebhook[] = [];
  /** All ends that each workflow has reported, by the workflow’s first run. They stay here if Temporal and the ledger lose them. */
  readonly ends = new Map<string, ToldEnd[]>();
  /** The first runs of the workflows that were terminated. Such a workflow reports no end. */
  readonly terminated = new Set<string>();
  /** The sessions that both Temporal and the ledger have lost, with the reason. */
  readonly forgotten = new Map<string, string>();
  isLedgerAway = false;
  hasLedger = true;
  /** The number of restores of the ledger. New entries reuse the numbers of entries that a restore has removed. */
  ledgerRestores = 0;
  temporalRestores = 0;
  known: KnownOfLedger = { grants: new Map(), lines: [] };
  readonly ledgerBackups: { readonly rows: LedgerBackup; readonly known: KnownOfLedger }[];
  readonly temporalBackups: ReadonlyMap<string, TemporalBackup[]>;
  readonly backups: LedgerBackups;
  readonly stage: Stage;
  /** The first broken rule. It is stored here, because the code under test could catch a thrown error. */
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

  /** After something was lost for the reason `why`, records the sessions that Temporal and the ledger have now both lost. */
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
    // A claim shows another workflow that a create request may have been sent. It does not show that to its own workflow.
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
        // This claim has taken over a session. The ledger had lost the session’s first claim.
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
   * Checks the ledger’s answer to a claim. A workflow may create a session only if the ledger knows no session of the key, and if the
   * workflow knows all create requests of the key that may have opened one.
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

  /** Records that a create request was sent. */
  #sending({ name }: Environment, { claim: { key } }: CreateSessionInput, { runId }: AttemptPlace): void {
    this.tell(`${name}: ${runId} sends a create of ${key}`);
  }

  /**
   * Checks that a key gets no second session. A second session is allowed only if the workflow has recorded that an earlier request
   * may have opened one, and if both have the same request. Sessions that both Temporal and the ledger have lost do not count.
   */
  async #sent(session: ServedSession, { claim: { lostCreates = 0 } }: CreateSessionInput): Promise<void> {
    const { environment, key } = session.sentBy;
    const earlier = this.service.sessions.filter(
      (one) => one !== session && one.sentBy.environment === environment && one.sentBy.key === key,
    );
    // The worker that created this session may have run since before both restores. Then both may have lost the earlier session.
    if (earlier.length > 0) await this.noteForgotten('both parts are from before it', earlier);
    // A worker without a ledger knows only the sessions that Temporal has.
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

/** The end of a workflow, as reported by the workflow. */
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
 * True if the ledger’s entries prove that a workflow never created a session at the payment service. The workflow’s last end must say
 * so, and no other entry may contradict it.
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

/** True if a run knows that this create request may have been sent: the run has sent it, or was reset from the run that did. */
function remembers({ start, state }: Run, { runId, activityId }: SentCreate): boolean {
  if (start.resetFrom.includes(runId)) return true;
  if (start.runId !== runId || !state.creates.includes(activityId)) return false;
  const pending = [...state.activities.values()].find((activity) => activity.activityId === activityId);
  // A heartbeat with details means that the worker was about to send the request.
  return pending === undefined || pending.details !== undefined;
}
