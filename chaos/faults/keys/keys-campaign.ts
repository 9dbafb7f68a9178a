import { startWorld } from '../episode/world';
import type { Violation } from '../invariants/evidence';
import { Bookkeeper } from '../ledger/bookkeeper';
import { LedgerKeeper } from '../ledger/keeper';
import type { KeysPlan } from '../plan/plan';
import { shrink, type Shrunk } from '../plan/shrink';
import type { Build } from '../processes/build';
import { hostTemporal } from '../processes/temporal-host';
import { added } from '../report/merge';
import {
  crashViolations,
  emptyTally,
  isKill,
  quantilesOf,
  slowestOf,
  strikesBy,
  type Report,
} from '../report/tally';
import { runKeysEpisode, type KeysEpisode, type KeysStage } from './run-keys-episode';

export interface KeysCampaignOptions {
  /** The number or name for the report. */
  readonly seed: number | string;
  readonly build: Build;
  readonly workers: number;
  /** Returns the plan of the next episode (one play of one plan). Returns `undefined` if there are no more plans. */
  readonly nextPlan: () => KeysPlan | undefined;
  /** Called with each finished episode. */
  readonly onEpisode?: (episode: KeysEpisode) => void;
  /** The longest time for reducing the first failing plan at the end, in milliseconds. @default it is not reduced */
  readonly shrinksForMs?: number;
}

/** Longer than any outage, in milliseconds. */
const PATIENCE_MS = 120_000;

/**
 * Plays episodes of keys one after the other, and returns the report. In such an episode, a few keys are started again and again. The
 * campaign has its own Temporal server, ledger and workers, because both servers are restored to earlier moments. Sessions of other
 * campaigns would not survive that.
 */
export async function runKeysCampaign(options: KeysCampaignOptions): Promise<Report> {
  const temporal = await hostTemporal({ dropsSoon: true });
  try {
    const world = await startWorld({ ...options, temporal, lanes: 1, hasLedger: true });
    const [lane] = world.lanes;
    const { ledger } = world;
    if (ledger === undefined || lane === undefined) throw new Error('the world has a lane and a ledger');
    const keeper = new LedgerKeeper(world, ledger, { patienceMs: PATIENCE_MS, runsByItself: false });
    try {
      const bookkeeper = new Bookkeeper(world, ledger, keeper);
      return await play({ world, lane, temporal, ledger, keeper, bookkeeper }, options);
    } finally {
      await keeper.close();
      await world.close();
    }
  } finally {
    await temporal.stop();
  }
}

async function play(stage: KeysStage, options: KeysCampaignOptions): Promise<Report> {
  const startedAtMs = Date.now();
  const { world, bookkeeper } = stage;
  const violations: Violation[] = [];
  let episodes = 0;
  let figures: Readonly<Record<string, number>> = {};
  let failing: KeysEpisode | undefined;
  const playOne = (plan: KeysPlan): Promise<KeysEpisode> => {
    episodes += 1;
    return runKeysEpisode(stage, plan, `k-${world.id}-${episodes}`);
  };
  for (let plan = options.nextPlan(); plan !== undefined; plan = options.nextPlan()) {
    const episode = await playOne(plan);
    violations.push(...episode.violations);
    figures = added(figures, { episodes: 1, ...episode.figures });
    if (episode.violations.length > 0) failing ??= episode;
    options.onEpisode?.(episode);
  }
  const shrunk = await shrinkFailing(failing, playOne, options);
  const money = await bookkeeper.close();
  const { read, 'lines of the service': lines, 'lines that were kept': kept } = bookkeeper.figures;
  return {
    seed: options.seed,
    minutes: Math.round((Date.now() - startedAtMs) / 6_000) / 10,
    tally: emptyTally(),
    faults: Object.fromEntries(stage.lane.front.fired),
    strikes: strikesBy(world.desk.struck),
    kills: world.desk.struck.filter(isKill).length,
    crashed: world.fleet.crashed,
    replayed: { whole: 0, prefixes: 0 },
    recoveryMs: quantilesOf([]),
    slowest: slowestOf([]),
    settlingMs: quantilesOf([]),
    keys: {
      ...figures,
      'files of the service read': read,
      'lines of the service': lines,
      'lines that no claim matched at first': kept,
    },
    ...(shrunk !== undefined && { shrunk }),
    violations: [...violations, ...money, ...crashViolations(world.fleet.crashed)],
  };
}

/** Reduces the first failing plan. A smaller plan counts only if it violates one of the invariants that the first plan violated. */
async function shrinkFailing(
  failing: KeysEpisode | undefined,
  play: (plan: KeysPlan) => Promise<KeysEpisode>,
  { shrinksForMs }: KeysCampaignOptions,
): Promise<Shrunk | undefined> {
  if (failing === undefined || shrinksForMs === undefined) return undefined;
  const letters = failing.violations.map(({ invariant }) => invariant);
  const isFailing = async (smaller: KeysPlan) =>
    (await play(smaller)).violations.some(({ invariant }) => letters.includes(invariant));
  return shrink(failing.plan, isFailing, Date.now() + shrinksForMs);
}
