import { LedgerDatabase } from '../../../ledger';
import type { Episode } from '../episode/run-episode';
import type { Lane, World } from '../episode/world';
import type { Violation } from '../invariants/evidence';
import { checkAway, wasOpen, type LedgerAway } from '../invariants/ledger-away';
import { checkLedger, type LedgerSubject } from '../invariants/ledger';
import { isNeverCreated } from '../invariants/reuse';
import type { LedgerFigures } from '../report/tally';
import { Bookkeeper } from './bookkeeper';
import { LedgerKeeper } from './keeper';
import type { LedgerHost } from './ledger-host';
import { checkClaims, checkFollowers } from '../invariants/claims';
import { NOTHING_RECORDED, recordedKeys } from './recorded';
import { drop, startDropped, untilListed, type EndedSession } from './revisits';

/** Every third ended session is dropped from Temporal, and its key is started again. */
const DROPPED_ONE_OF = 3;
/** The maximum number of sessions of an episode that are dropped at the same time. */
const DROPS_AT_ONCE = 2;
/** The longest time for which requests to an unavailable ledger are repeated, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Operates the ledger of a campaign (sweeps, checkpoints, reconciliation), and compares it with the true events. */
export class LedgerAudit {
  readonly figures: LedgerFigures = {
    entries: 0,
    checkpoints: 0,
    sweeps: 0,
    swept: 0,
    dropped: 0,
    startedAgain: 0,
    startedOtherwise: 0,
    openMeanwhile: 0,
    startedMeanwhile: 0,
  };
  readonly bookkeeper: Bookkeeper;
  readonly #world: World;
  readonly #host: LedgerHost;
  readonly #keeper: LedgerKeeper;
  readonly #subjects: LedgerSubject[] = [];
  #over = 0;

  /** @param awayMs the longest time for which the ledger is unavailable, in milliseconds */
  constructor(world: World, host: LedgerHost, awayMs: number) {
    this.#world = world;
    this.#host = host;
    this.#keeper = new LedgerKeeper(world, host, { patienceMs: PATIENCE_MS + awayMs });
    this.bookkeeper = new Bookkeeper(world, host, this.#keeper);
  }

  /** Checks some sessions of an ended episode: makes Temporal drop them, and starts their keys again. */
  async take(lane: Lane, { evidence, inputs }: Episode): Promise<Violation[]> {
    const dropped: EndedSession[] = [];
    for (const { histories: _histories, ...subject } of evidence) {
      this.#subjects.push(subject);
      const { key, ending } = subject;
      const input = inputs.get(key);
      if (ending === undefined || input === undefined || isNeverCreated(subject)) continue;
      // Sessions with this short deadline are skipped. While the ledger is down, a second start may reach its deadline before it has asked
      // the ledger for the key's session.
      if (subject.plan.deadline === 'overall') continue;
      this.#over += 1;
      if (this.#over % DROPPED_ONE_OF === 0)
        dropped.push({ input, lane, ending, wasReset: subject.resets > 0 });
    }
    if (dropped.length === 0) return [];
    for (const { input } of dropped)
      await untilListed(this.#world, this.#world.sessions.get(input.key).workflowId);
    // The ledger's guide says that a sweep must come before Temporal drops a session.
    await this.#keeper.sweep();
    const found: Violation[] = [];
    const revisit = async () => {
      for (let over = dropped.shift(); over !== undefined; over = dropped.shift())
        found.push(...(await this.#dropAndStart(over)));
    };
    await Promise.all(Array.from({ length: DROPS_AT_ONCE }, revisit));
    return found;
  }

  /** Sweeps once more, and checks all invariants of the ledger. */
  async violations(): Promise<Violation[]> {
    await this.#keeper.sweepAll();
    const money = await this.bookkeeper.close();
    const faults = await this.#keeper.verify();
    const recorded = await this.#recorded();
    this.figures.entries = [...recorded.values()].reduce((sum, { entries }) => sum + entries.length, 0);
    Object.assign(this.figures, this.#keeper.figures);
    const aways = this.#world.desk.struck
      .filter(({ strike, where }) => strike === 'leave' && where === 'ledger')
      .map(({ atMs: fromMs, backMs: untilMs = Infinity }) => ({ fromMs, untilMs }));
    for (const away of aways) {
      this.figures.openMeanwhile += this.#subjects.filter((one) => wasOpen(one, away)).length;
      this.figures.startedMeanwhile += this.#subjects.filter(({ acts }) =>
        acts.some(({ act, atMs }) => act === 'start' && isWithin(atMs, away)),
      ).length;
    }
    const recordedOf = (key: string) => recorded.get(key) ?? NOTHING_RECORDED;
    return [
      ...faults,
      ...aways.flatMap((away) => this.#subjects.flatMap((subject) => checkAway(subject, away))),
      ...this.#subjects.flatMap((subject) => checkLedger(subject, recordedOf(subject.key).entries)),
      ...[...recorded].flatMap(([key, own]) => checkClaims(key, own)),
      ...checkFollowers(recorded),
      ...money,
    ];
  }

  async close(): Promise<void> {
    await this.#keeper.close();
  }

  async #dropAndStart(over: EndedSession): Promise<Violation[]> {
    const { workflowId } = this.#world.sessions.get(over.input.key);
    if (!(await drop(this.#world, workflowId))) return [];
    this.figures.dropped += 1;
    const isSame = this.figures.dropped % 2 === 0;
    const violations = await startDropped(this.#world, over, isSame);
    if (isSame) this.figures.startedAgain += 1;
    else this.figures.startedOtherwise += 1;
    await drop(this.#world, workflowId);
    return [...violations];
  }

  async #recorded(): ReturnType<typeof recordedKeys> {
    const database = new LedgerDatabase(this.#host.ownUrl);
    try {
      return await this.#keeper.patiently(() => recordedKeys(database));
    } finally {
      await database.close();
    }
  }
}

const isWithin = (atMs: number, { fromMs, untilMs }: LedgerAway): boolean => atMs > fromMs && atMs < untilMs;
