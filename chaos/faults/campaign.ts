import { setTimeout as sleep } from 'node:timers/promises';
import { runEpisode, type Episode } from './episode/run-episode';
import { operate } from './episode/operator';
import { decodedBytes } from './episode/decoded';
import { startWorld, type Lane, type World } from './episode/world';
import { LedgerAudit } from './ledger/audit';
import { checkFolder, checkSecrets, type Secrets } from './invariants/secrets';
import { checkReplays, type Replays } from './invariants/replays';
import type { Violation } from './invariants/evidence';
import type { History } from '../../testkit/histories/history-json';
import type { Plan } from './plan/plan';
import { shrink, type Shrunk } from './plan/shrink';
import type { Build } from './processes/build';
import type { TemporalHost } from './processes/temporal-host';
import {
  count,
  crashViolations,
  emptyTally,
  isKill,
  quantilesOf,
  slowestOf,
  strikesBy,
  type Report,
} from './report/tally';
import type { RecordedHistory } from '../../testkit';
import { everythingIn } from '../../test/support/everything-in';

export interface CampaignOptions {
  /** The number or name for the report. */
  readonly seed: number | string;
  readonly build: Build;
  readonly lanes: number;
  readonly workers: number;
  readonly settlesWithinMs: number;
  /** Returns the plan of the next episode (one play of one plan). Returns `undefined` if there are no more plans. */
  readonly nextPlan: () => Plan | undefined;
  /** Called with each finished episode. */
  readonly onEpisode?: (episode: Episode) => void;
  /**
   * At the end, replays the histories of every session whose number is a multiple of `oneOf`. Of every `prefixesOneOf`th of these
   * histories, also replays every beginning.
   */
  readonly replays?: { readonly oneOf: number; readonly prefixesOneOf: number; readonly longestMs: number };
  /** Called with each history, or beginning of a history, that does not replay. */
  readonly onDiverged?: (recorded: RecordedHistory) => void;
  /** The longest time for reducing the first failing plan at the end, in milliseconds. @default it is not reduced */
  readonly shrinksForMs?: number;
  readonly onProgress?: (line: string) => void;
  /** @default a server of the campaign's own */
  readonly temporal?: TemporalHost;
  /** True if workers have versions, which `rollOut` changes. @default false */
  readonly rollsOut?: boolean;
  /** True if the workers have a ledger. Plans may then strike (kill or disconnect) the ledger. @default false */
  readonly hasLedger?: boolean;
  /**
   * The interval at which episodes begin, in milliseconds.
   * @default each lane begins an episode when the previous one is over
   */
  readonly beginsEveryMs?: number;
  /** Stops the ledger once: `afterMs` milliseconds after the campaign begins, for `seconds` seconds. @default never */
  readonly ledgerAway?: { readonly afterMs: number; readonly seconds: number };
  /** The longest time, in milliseconds, for which a caller repeats a failing request. @default 60000 */
  readonly patienceMs?: number;
  /** Returns true when the campaign should cause no more faults, so that the last sessions can end. @default never */
  readonly windsUp?: () => boolean;
}

const PROGRESS_EVERY_MS = 10_000;

/** Runs a campaign: plays episodes side by side until there are no more plans, checks every invariant, and returns the report. */
export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const world = await startWorld(options);
  const stopOperator = operate(world);
  const campaign = new Campaign(world, options);
  const progress = setInterval(() => options.onProgress?.(campaign.progress()), PROGRESS_EVERY_MS);
  try {
    await Promise.all([...world.lanes.map((lane) => campaign.playIn(lane)), campaign.holdLedgerOutage()]);
    return await campaign.report();
  } finally {
    clearInterval(progress);
    await stopOperator();
    await campaign.close();
    await world.close();
  }
}

class Campaign {
  readonly #tally = emptyTally();
  readonly #violations: Violation[] = [];
  readonly #settling: number[] = [];
  readonly #histories: RecordedHistory[] = [];
  readonly #startedAtMs = Date.now();
  #episodes = 0;
  #failing: { readonly plan: Plan; readonly violations: readonly Violation[] } | undefined;
  readonly #world: World;
  readonly #audit: LedgerAudit | undefined;
  readonly #options: CampaignOptions;

  constructor(world: World, options: CampaignOptions) {
    this.#world = world;
    const awayMs = (options.ledgerAway?.seconds ?? 0) * 1_000;
    this.#audit = world.ledger && new LedgerAudit(world, world.ledger, awayMs);
    this.#options = options;
  }

  progress(): string {
    const { lanes, desk } = this.#world;
    const open = lanes.reduce((sum, { runs }) => sum + runs.size, 0);
    const { sessions } = this.#tally;
    return `${sessions} sessions over, ${open} open, ${this.#fired().length} faults, ${desk.struck.length} strikes, ${this.#violations.length} violations`;
  }

  async playIn(lane: Lane): Promise<void> {
    const { nextPlan, beginsEveryMs } = this.#options;
    const plays: Promise<void>[] = [];
    for (let plan = nextPlan(); plan !== undefined; plan = nextPlan()) {
      plays.push(this.#playAndTake(lane, plan));
      await (beginsEveryMs === undefined ? plays.at(-1) : sleep(beginsEveryMs));
    }
    await Promise.all(plays);
  }

  /** Makes the ledger unavailable if the options say so. */
  async holdLedgerOutage(): Promise<void> {
    const { ledgerAway } = this.#options;
    if (ledgerAway === undefined) return;
    const { afterMs, seconds } = ledgerAway;
    await sleep(afterMs);
    await this.#world.desk.holdOutage({ who: 'ledger', seconds }, () => undefined);
  }

  async #playAndTake(lane: Lane, plan: Plan): Promise<void> {
    const played = await this.#play(lane, plan);
    const dropped = (await this.#audit?.take(lane, played)) ?? [];
    const episode = { ...played, violations: [...played.violations, ...dropped] };
    await this.#take(episode);
    if (episode.violations.length > 0) this.#failing ??= episode;
    this.#options.onEpisode?.(episode);
  }

  #play(lane: Lane, plan: Plan): Promise<Episode> {
    this.#episodes += 1;
    const name = `f-${this.#world.id}-${this.#episodes}`;
    const { settlesWithinMs } = this.#options;
    const bookkeeper = this.#audit?.bookkeeper;
    return runEpisode(this.#world, lane, { plan, name, settlesWithinMs, bookkeeper });
  }

  /** Reduces the first failing plan. A smaller plan counts only if it violates one of the invariants that the first plan violated. */
  async #shrink(): Promise<Shrunk | undefined> {
    const { shrinksForMs, onProgress } = this.#options;
    const [lane] = this.#world.lanes;
    if (this.#failing === undefined || shrinksForMs === undefined || lane === undefined) return undefined;
    const { plan, violations } = this.#failing;
    const letters = violations.map(({ invariant }) => invariant);
    const isFailing = async (smaller: Plan) => {
      onProgress?.(`shrinking: ${smaller.sessions.length} sessions`);
      const again = await this.#play(lane, smaller);
      return again.violations.some(({ invariant }) => letters.includes(invariant));
    };
    return shrink(plan, isFailing, Date.now() + shrinksForMs);
  }

  async #take({ plan, evidence, violations }: Episode): Promise<void> {
    this.#tally.episodes += 1;
    this.#violations.push(...violations);
    for (const session of evidence) {
      count(this.#tally, session, plan.away !== undefined);
      this.#settling.push(session.endedAtMs - session.quietSinceMs);
      for (const history of session.histories)
        this.#violations.push(...(await this.#secretsIn(session.key, history)));
      if (this.#tally.sessions % (this.#options.replays?.oneOf ?? Infinity) === 0) {
        const { key, histories } = session;
        this.#histories.push(
          ...histories.map((history, run) => ({ name: `${key} run ${run + 1}`, history })),
        );
      }
    }
  }

  /** Checks that a history contains no personal data in plain text. Also checks that the decrypted history contains no credentials. */
  async #secretsIn(key: string, history: History): Promise<readonly Violation[]> {
    const decoded = await decodedBytes(history, this.#world.client);
    const where = `history of ${key}`;
    return [
      ...checkSecrets(where, bytesOf(history), this.#secrets()),
      ...checkSecrets(`${where}, decrypted`, decoded, this.#credentials()),
    ];
  }

  async close(): Promise<void> {
    await this.#audit?.close();
  }

  async report(): Promise<Report> {
    const { desk, fleet, lanes, temporal, logs, ledger: database } = this.#world;
    const seconds = (Date.now() - this.#startedAtMs) / 1_000;
    const replayed = await this.#replay();
    const shrunk = await this.#shrink();
    const ledger = (await this.#audit?.violations()) ?? [];
    const crashes = crashViolations(fleet.crashed);
    const trapped = lanes
      .filter(({ front }) => front.trapped > 0)
      .map(({ account: where }): Violation => ({ invariant: 'd', where, what: 'a redirect was followed' }));
    const folders = [logs, temporal.folder, database?.folder].filter((folder) => folder !== undefined);
    const found = folders.flatMap((folder) => checkFolder(folder, this.#secrets()));
    const faults: Record<string, number> = {};
    for (const name of this.#fired()) faults[name] = (faults[name] ?? 0) + 1;
    return {
      seed: this.#options.seed,
      minutes: Math.round(seconds / 6) / 10,
      tally: this.#tally,
      faults,
      strikes: strikesBy(desk.struck),
      kills: desk.struck.filter(isKill).length,
      crashed: fleet.crashed,
      replayed: { whole: replayed.whole, prefixes: replayed.prefixes },
      recoveryMs: quantilesOf(desk.struck.flatMap(({ recoveryMs }) => recoveryMs ?? [])),
      slowest: slowestOf(desk.struck),
      settlingMs: quantilesOf(this.#settling),
      ...(this.#audit && { ledger: this.#audit.figures, money: this.#audit.bookkeeper.figures }),
      ...(shrunk !== undefined && { shrunk }),
      violations: [...this.#violations, ...replayed.violations, ...ledger, ...crashes, ...trapped, ...found],
    };
  }

  async #replay(): Promise<Replays> {
    const { replays, build, onDiverged } = this.#options;
    const dataConverter = this.#world.client.options.loadedDataConverter;
    if (replays === undefined) return { violations: [], whole: 0, prefixes: 0 };
    return checkReplays(this.#histories, {
      bundlePath: build.bundlePath,
      dataConverter: { payloadCodecs: dataConverter.payloadCodecs },
      prefixesOneOf: replays.prefixesOneOf,
      longestMs: replays.longestMs,
      onDiverged,
    });
  }

  #fired(): string[] {
    return this.#world.lanes.flatMap(({ front }) =>
      [...front.fired].flatMap(([name, times]) => Array.from({ length: times }, () => name)),
    );
  }

  #credentials(): Secrets {
    const { canaries, tokenMark } = this.#world;
    return { 'client secret': canaries['client secret'], 'access token': [tokenMark] };
  }

  #secrets(): Secrets {
    const { canaries } = this.#world;
    return {
      ...this.#credentials(),
      'payor’s name': canaries['payor’s name'],
      email: canaries.email,
      'account number': canaries['account number'],
    };
  }
}

const bytesOf = (value: unknown): Buffer => Buffer.from(everythingIn(value), 'latin1');
