import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerDatabase } from '../../../ledger';
import type { SessionState } from '../../../src';
import { retryUntilAnswered } from '../episode/retry-until';
import type { Lane, World } from '../episode/world';
import type { Violation } from '../invariants/evidence';
import type { KeyCreate, KeyEvidence, LostRecord, Restore, ReceivedEnd } from '../invariants/key-evidence';
import { checkKeys, forgotten, type KeysEvidence } from '../invariants/keys';
import type { Bookkeeper } from '../ledger/bookkeeper';
import type { LedgerKeeper } from '../ledger/keeper';
import type { LedgerHost } from '../ledger/ledger-host';
import { NOTHING_RECORDED, recordedKeys, type ListedClaim, type RecordedKey } from '../ledger/recorded';
import type { KeysPlan } from '../plan/plan';
import type { RestorableTemporal } from '../processes/temporal-host';
import { AMOUNT, KeyRun } from './key-run';

/** The servers and helpers that an episode of keys uses. */
export interface KeysStage {
  readonly world: World;
  readonly lane: Lane;
  readonly temporal: RestorableTemporal;
  readonly ledger: LedgerHost;
  readonly keeper: LedgerKeeper;
  readonly bookkeeper: Bookkeeper;
}

/** The result of an episode of keys. */
export interface KeysEpisode {
  readonly plan: KeysPlan;
  readonly evidence: KeysEvidence;
  readonly violations: readonly Violation[];
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * The time, in milliseconds, within which all keys must end after the last fault. It is long, because Temporal notices a lost worker only
 * after half a minute.
 */
const SETTLES_WITHIN_MS = 120_000;
const CHECK_EVERY_MS = 300;

/** Plays an episode of keys, brings all keys to their ends, and checks every invariant. */
export async function runKeysEpisode(stage: KeysStage, plan: KeysPlan, name: string): Promise<KeysEpisode> {
  const episode = new Episode(stage, plan, name);
  try {
    await episode.play();
    return await episode.end();
  } finally {
    episode.forget();
  }
}

class Episode {
  readonly #runs: readonly KeyRun[];
  readonly #restores: Restore[] = [];
  /** The ledger's entries and claims of the keys just before each restore of the ledger. */
  readonly #lost: { readonly untilMs: number; readonly keys: ReadonlyMap<string, RecordedKey> }[] = [];
  readonly #copiedAtMs: Partial<Record<Restore['server'], number>> = {};
  readonly #violations: Violation[] = [];
  readonly #sweeping: Promise<unknown>[] = [];
  readonly #firstSweep: number;
  readonly #stage: KeysStage;
  readonly #plan: KeysPlan;

  constructor(stage: KeysStage, plan: KeysPlan, name: string) {
    this.#stage = stage;
    this.#plan = plan;
    this.#firstSweep = stage.keeper.sweeps.length;
    this.#runs = plan.keys.map(
      (key, index) => new KeyRun(stage.world, stage.lane, key, `${name}-${index}`, name),
    );
  }

  async play(): Promise<void> {
    for (const { key, when, does } of this.#plan.steps) {
      const run = this.#runs[key];
      if (run === undefined) continue;
      await run.untilMoment(when);
      switch (does) {
        case 'sweep':
          this.#sweeping.push(this.#stage.keeper.sweepAll());
          break;
        case 'file':
          this.#sweeping.push(this.#stage.bookkeeper.readNow());
          break;
        case 'copyLedger':
          await this.#copyLedger();
          break;
        case 'restoreLedger':
          await this.#restoreLedger();
          break;
        case 'copyTemporal':
          await this.#copyTemporal();
          break;
        case 'restoreTemporal':
          await this.#restoreTemporal();
          break;
        default:
          await run.take(does, this.#runs);
      }
    }
  }

  /** Ends the episode once all servers are running: brings all keys to their ends, sweeps, and checks. */
  async end(): Promise<KeysEpisode> {
    const { world, keeper } = this.#stage;
    await Promise.all(this.#runs.map((run) => run.quieten()));
    await world.desk.alone('ledger', () => world.desk.alone('processes', () => world.fleet.ready()));
    await Promise.all(this.#sweeping);
    const untilMs = Date.now() + SETTLES_WITHIN_MS;
    const settled = await Promise.all(this.#runs.map((run) => this.#settle(run, untilMs)));
    await keeper.sweepAll();
    const fault = await keeper.fault();
    if (fault !== undefined) this.#violations.push({ invariant: 's', where: 'the ledger', what: fault });
    const recorded = await this.#recorded();
    const keys = await Promise.all(
      this.#runs.map((run, index) => this.#evidenceOf(run, recorded, settled[index] === true)),
    );
    const evidence = { keys, restores: this.#restores, sweeps: keeper.sweeps.slice(this.#firstSweep) };
    return {
      plan: this.#plan,
      evidence,
      violations: [...this.#violations, ...checkKeys(evidence)],
      figures: this.#figures(evidence),
    };
  }

  forget(): void {
    const { lane } = this.#stage;
    const keys = new Set(this.#runs.map(({ key }) => key));
    lane.front.forget(keys);
    for (const key of keys) lane.others.delete(key);
  }

  async #copyLedger(): Promise<void> {
    const { world, ledger } = this.#stage;
    await world.desk.alone('ledger', async () => {
      this.#copiedAtMs.ledger = Date.now();
      await ledger.copy();
    });
  }

  /**
   * Restores the ledger to its copy. A checkpoint from just before the restore is kept outside the ledger. Checks that the verification
   * with this checkpoint finds the loss.
   */
  async #restoreLedger(): Promise<void> {
    const { world, ledger, keeper } = this.#stage;
    const copiedAtMs = this.#copiedAtMs.ledger;
    if (copiedAtMs === undefined) return;
    let note = '';
    await world.desk.alone('ledger', async () => {
      note = await keeper.note();
      const keys = await this.#recorded();
      const atMs = Date.now();
      this.#lost.push({ untilMs: atMs, keys });
      this.#restores.push({ server: 'ledger', copiedAtMs, atMs });
      await ledger.restore();
    });
    const lost = missingFrom(this.#lost.at(-1)?.keys, await this.#recorded());
    if (lost > 0 && (await keeper.fault(note)) === undefined)
      this.#violations.push({
        invariant: 's',
        where: 'the ledger',
        what: `${lost} entries are lost, and a checkpoint does not show it`,
      });
  }

  async #copyTemporal(): Promise<void> {
    const { world, temporal } = this.#stage;
    await world.desk.alone('processes', async () => {
      this.#copiedAtMs.temporal = Date.now();
      await temporal.copy();
    });
  }

  /** Restores the Temporal server to its copy. The workers are stopped meanwhile, because they have the lost time in memory. */
  async #restoreTemporal(): Promise<void> {
    const { world, temporal } = this.#stage;
    const copiedAtMs = this.#copiedAtMs.temporal;
    if (copiedAtMs === undefined) return;
    await world.desk.alone('processes', async () => {
      await world.fleet.goDown();
      this.#restores.push({ server: 'temporal', copiedAtMs, atMs: Date.now() });
      await temporal.restore();
      await world.fleet.comeBack();
    });
  }

  /**
   * Brings a key to its end. Its payors pay, and its operator decides. If the key has an open claim but no running workflow, the key is
   * started again. Returns true if the key has ended in time.
   */
  async #settle(run: KeyRun, untilMs: number): Promise<boolean> {
    while (Date.now() < untilMs) {
      if ((await run.status()) === 'RUNNING') {
        await this.#finish(run);
      } else {
        await this.#stage.keeper.sweepAll();
        const { entries, claims } = await this.#recordedOf(run.key);
        const open = claims.find(({ stands, outcome }) => stands && outcome === 'open');
        if (open === undefined) return true;
        await run.drop();
        run.start(amountOf(open, entries));
      }
      await run.quieten();
      await sleep(CHECK_EVERY_MS);
    }
    return false;
  }

  async #finish(run: KeyRun): Promise<void> {
    let state: Pick<SessionState, 'phase' | 'sessionId'> | undefined;
    await retryUntilAnswered(async () => {
      state = await run.handle.state();
    });
    if (state?.phase !== 'parked') {
      // The workflow may follow a session of another key, which the operator has named.
      const { sessionId = '' } = state ?? {};
      this.#runs.find(({ made }) => made.includes(sessionId))?.pay();
      return;
    }
    // An adoption is refused if another key has the session. So each session of this key is named once. If all have been named, the
    // operator gives the create up.
    const tried = run.decisions.map(({ sessionId }) => sessionId);
    const found = run.made.find((sessionId) => !tried.includes(sessionId));
    run.decide(found === undefined ? { abandon: true } : { sessionId: found });
  }

  async #evidenceOf(
    run: KeyRun,
    recorded: ReadonlyMap<string, RecordedKey>,
    isSettled: boolean,
  ): Promise<KeyEvidence> {
    const { key, plan, decisions, drops, calls } = run;
    const told = await receivedEndOf(run);
    return {
      key,
      plan,
      creates: this.#createsOf(run),
      decisions,
      drops,
      recorded: recorded.get(key) ?? NOTHING_RECORDED,
      lost: this.#lost.map(({ untilMs, keys }): LostRecord => ({
        untilMs,
        entries: keys.get(key)?.entries ?? [],
      })),
      ...(told !== undefined && { told }),
      isStuck: !isSettled,
      calls,
    };
  }

  #createsOf({ key, truth }: KeyRun): readonly KeyCreate[] {
    const { world, lane } = this.#stage;
    return lane.front.exchanges
      .filter(({ call, session }) => call === 'create' && session === key)
      .map(({ atMs, made }) => {
        const session = made === undefined ? undefined : world.sandbox.session(made);
        if (session === undefined) return { atMs };
        const { sessionId, state } = session;
        return { atMs, made: { sessionId, amount: state.amount ?? 0, truth: truth.states(session) } };
      });
  }

  async #recordedOf(key: string): Promise<RecordedKey> {
    return (await this.#recorded()).get(key) ?? NOTHING_RECORDED;
  }

  /** Returns the ledger's entries and claims of the episode's keys. */
  async #recorded(): ReturnType<typeof recordedKeys> {
    const { keeper, ledger } = this.#stage;
    const database = new LedgerDatabase(ledger.ownUrl);
    try {
      const all = await keeper.patiently(() => recordedKeys(database));
      return new Map(this.#runs.flatMap(({ key }) => [[key, all.get(key) ?? NOTHING_RECORDED] as const]));
    } finally {
      await database.close();
    }
  }

  #figures(evidence: KeysEvidence): Readonly<Record<string, number>> {
    const { keys, restores, sweeps } = evidence;
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    const claims = keys.map(({ recorded }) => recorded.claims);
    const bodies = keys.flatMap(({ recorded }) => recorded.entries.map(({ body }) => body));
    const last = new Map(keys.map(({ key, recorded }) => [key, recorded]));
    const made = keys.flatMap((key) =>
      key.creates.filter((create) => create.made !== undefined).map((create) => ({ key, create })),
    );
    return {
      keys: keys.length,
      starts: sum(this.#runs.map(({ figures }) => figures.starts)),
      'creates sent': sum(keys.map(({ creates }) => creates.length)),
      'sessions made': made.length,
      'of these, forgotten by both sides': made.filter(
        ({ key, create }) => forgotten(key, evidence, create) < Infinity,
      ).length,
      claims: sum(claims.map(({ length }) => length)),
      'keys with more than one claim': claims.filter(({ length }) => length > 1).length,
      'keys taken over': bodies.filter(({ takesOver }) => takesOver !== undefined).length,
      'sessions adopted': bodies.filter(({ how }) => how === 'adopt').length,
      'possible orphans recorded': bodies.filter(({ anomaly }) => anomaly === 'possibleOrphan').length,
      'claims paid': sum(claims.map((own) => own.filter(({ paid }) => paid).length)),
      'workflows terminated': sum(this.#runs.map(({ figures }) => figures.terminations)),
      'runs that Temporal dropped': sum(this.#runs.map(({ figures }) => figures.dropped)),
      sweeps: sweeps.length,
      'restores of the ledger': restores.filter(({ server }) => server === 'ledger').length,
      'restores of Temporal': restores.filter(({ server }) => server === 'temporal').length,
      'entries lost': sum(this.#lost.map(({ keys: lost }) => missingFrom(lost, last))),
    };
  }
}

/** Returns the number of entries that existed before and are missing now. */
function missingFrom(
  before: ReadonlyMap<string, RecordedKey> = new Map<string, RecordedKey>(),
  now: ReadonlyMap<string, RecordedKey>,
): number {
  return [...before].reduce((sum, [key, { entries }]) => {
    const kept = now.get(key)?.entries ?? [];
    const isKept = (entry: (typeof entries)[number]) =>
      kept.some(
        ({ number, id, committedAtMs }) =>
          number === entry.number && id === entry.id && committedAtMs === entry.committedAtMs,
      );
    return sum + entries.filter((entry) => !isKept(entry)).length;
  }, 0);
}

/** Returns the amount of the request with which a claim was made. */
function amountOf({ claim }: ListedClaim, entries: RecordedKey['entries']): number {
  const claimed = entries.find((entry) => entry.claim === claim && entry.kind === 'claimed');
  return Number(claimed?.body['amount'] ?? AMOUNT);
}

/** Returns the end that callers of a key receive from its newest workflow. */
async function receivedEndOf(run: KeyRun): Promise<ReceivedEnd | undefined> {
  let told: ReceivedEnd | undefined;
  await retryUntilAnswered(async () => {
    const { sessionId, paid, status, failure } = await run.handle.state();
    told = {
      paid,
      ...(sessionId !== undefined && { sessionId }),
      ...(status !== undefined && { status }),
      ...(failure !== undefined && { failure: failure.code }),
    };
  });
  return told;
}
