import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RecordedHistory } from '../../testkit';
import { historyToJson } from '../../testkit/histories/history-json';
import { runCampaign } from './campaign';
import type { Episode } from './episode/run-episode';
import { runKeysCampaign, type KeysCampaignOptions } from './keys/keys-campaign';
import type { KeysEpisode } from './keys/run-keys-episode';
import { runMutants } from './mutants/run-mutants';
import { drawPlan, optionsOn, type DrawOptions } from './plan/draw';
import { drawAwayPlan, LONG_AWAY_SECONDS, SHORT_AWAY_SECONDS } from './plan/draw-away';
import { drawKeysPlan } from './plan/draw-keys';
import { drawSteadyPlan } from './plan/draw-steady';
import { readKeysPlan, readPlan, type KeysPlan, type Plan } from './plan/plan';
import { build } from './processes/build';
import { hostCluster, hostTemporal, sharedTemporal } from './processes/temporal-host';
import { markdownOf } from './report/markdown';
import { merged } from './report/merge';
import type { Report } from './report/tally';

const HELP = `Runs campaigns of faults against real processes. A seed determines the faults.

  npm run faults -- --minutes 2 --seed 42      a campaign
  npm run faults -- --plan FILE                one plan again
  npm run faults -- --mutants                  checks that an invariant detects each planted bug

  --minutes M    length of the campaign; its last half minute, or its last half if shorter, has no faults  (1)
  --seed S       seed of the plans; without it, a new one is printed
  --plan FILE    a plan to run in place of drawn ones; may be repeated
  --only PATTERN runs only the planted bugs whose name matches
  --sessions N   maximum number of sessions in an episode, up to 20  (12)
  --lanes N      episodes side by side                          (16, on a cluster or with a ledger 8)
  --cluster      on a cluster of seven nodes and PostgreSQL, which are killed and restarted
  --ledger       the workers have a ledger, whose PostgreSQL is killed and whose connections are cut; also on a cluster.
                 The service's files are reconciled with it.
                 Without a cluster, keys are also started again and again, and both servers are restored to earlier moments
  --keys         only those keys
  --ledger-away M   a session begins each second, while the ledger is down for M minutes
  --workers N    worker processes                               (3)
  --shrink S     seconds for reducing the first failing plan; 0 leaves it as it is (120)
  --report DIR   where the report and failing plans go          (.paysession/faults)`;

/** The time at the end of a campaign without faults, in milliseconds. The last sessions need it. */
const WINDING_UP_MS = 30_000;
const SETTLES_WITHIN_MS = 30_000;
/** The time, in milliseconds, that an episode with an outage takes in addition to the outage itself. */
const AROUND_AWAY_MS = 25_000;
const AWAY_SESSIONS = 20;
/** The longest time, in milliseconds, for which callers repeat a request. It is longer than any outage of the workers or the server. */
const AWAY_PATIENCE_MS = 150_000;
/** The time, in milliseconds, during which sessions begin before the outage of the ledger, and again after it. */
const AROUND_LEDGER_AWAY_MS = 40_000;
/** The interval at which these sessions begin, in milliseconds. */
const BEGINS_EVERY_MS = 1_000;
/**
 * The time, in milliseconds, within which all sessions must end after the outage of the ledger. Sessions that wait for the ledger try again
 * within half a minute. Then all of them are created and polled at the rate that the service allows. The longer the outage, the longer this
 * takes.
 */
const SETTLES_AFTER_AWAY_MS = 390_000;
/** An episode of keys begins only if at least this time, in milliseconds, is left. */
const KEYS_EPISODE_MS = 40_000;
const REPLAYS_OF_OUTAGES = { oneOf: 4, prefixesOneOf: 12, longestMs: 8_000 };
/** The longest time for replays, in milliseconds per minute of the campaign. */
const REPLAYS_OF_A_MINUTE_MS = 8_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string' },
      plan: { type: 'string', multiple: true, default: [] },
      lanes: { type: 'string' },
      sessions: { type: 'string', default: '12' },
      workers: { type: 'string', default: '3' },
      shrink: { type: 'string', default: '120' },
      cluster: { type: 'boolean', default: false },
      ledger: { type: 'boolean', default: false },
      keys: { type: 'boolean', default: false },
      'ledger-away': { type: 'string' },
      mutants: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      report: { type: 'string', default: join('.paysession', 'faults') },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values.mutants) {
    const areCaught = await runMutants(values.only, (line) => {
      console.log(line);
    });
    process.exitCode = areCaught ? 0 : 1;
    return;
  }
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const minutes = Number(values.minutes);
  if (values['ledger-away'] !== undefined) {
    await runLedgerOutage({ seed, minutes: Number(values['ledger-away']), folder: values.report });
    return;
  }
  const shrinking = Number(values.shrink) > 0 && { shrinksForMs: Number(values.shrink) * 1_000 };
  const ofKeys = values.plan.flatMap((file) => readKeysPlan(file) ?? []);
  if (ofKeys.length > 0) {
    const nextPlan = () => ofKeys.shift();
    await playKeys(values.report, { seed: values.plan.join(', '), nextPlan });
    return;
  }
  if (values.keys) {
    console.log(`--seed ${seed}`);
    const nextPlan = drawnKeys(seed, Date.now() + minutes * 60_000);
    await playKeys(values.report, { seed, nextPlan, ...shrinking });
    return;
  }
  const planned = values.plan.map(readPlan);
  const isDrawn = planned.length === 0;
  if (isDrawn) console.log(`--seed ${seed}`);
  mkdirSync(values.report, { recursive: true });
  const code = await build('campaign');
  const host = values.cluster ? hostCluster : hostTemporal;
  const temporal = await host({ dropsSoon: values.ledger });
  const shared = values.cluster ? sharedTemporal(temporal) : undefined;
  const endsAtMs = Date.now() + minutes * 60_000;
  const windsUpAtMs = Date.now() + Math.max(minutes * 30_000, minutes * 60_000 - WINDING_UP_MS);
  const windsUp = () => isDrawn && Date.now() > windsUpAtMs;
  const keep = keepFailing(values.report);
  const onDiverged = keepDiverged(values.report);
  const onProgress = (line: string) => {
    console.error(line);
  };
  /**
   * Runs the campaign of outages next to the other campaigns, on a Temporal server of its own. With `--cluster`, it shares the cluster.
   * Then only the workers stop, because the other campaigns need the server.
   */
  const outageCampaign = () =>
    runCampaign({
      seed,
      build: code,
      ...(shared !== undefined && { temporal: shared.beside }),
      lanes: 1,
      workers: 2,
      settlesWithinMs: SETTLES_WITHIN_MS,
      patienceMs: AWAY_PATIENCE_MS,
      nextPlan: drawnAway(seed, endsAtMs, shared !== undefined),
      onEpisode: keep,
      onDiverged,
      replays: REPLAYS_OF_OUTAGES,
    });
  const keys = () =>
    runKeysCampaign({
      seed,
      build: code,
      workers: 2,
      nextPlan: drawnKeys(seed, endsAtMs),
      onEpisode: keepFailingKeys(values.report),
      ...shrinking,
    });
  try {
    const campaign = runCampaign({
      seed: isDrawn ? seed : values.plan.join(', '),
      build: code,
      temporal: shared?.own ?? temporal,
      rollsOut: values.cluster || planned.some(rollsOut),
      hasLedger: values.ledger,
      lanes: isDrawn ? Number(values.lanes ?? (values.cluster || values.ledger ? 8 : 16)) : 1,
      workers: Number(values.workers),
      settlesWithinMs: SETTLES_WITHIN_MS,
      nextPlan: isDrawn
        ? drawn({
            seed,
            options: { ...optionsOn(values), sessions: Number(values.sessions) },
            isOver: windsUp,
          })
        : () => planned.shift(),
      windsUp,
      onEpisode: keep,
      onDiverged,
      onProgress,
      replays: { oneOf: 4, prefixesOneOf: 12, longestMs: Math.max(1, minutes) * REPLAYS_OF_A_MINUTE_MS },
      ...shrinking,
    });
    const hasKeys = values.ledger && !values.cluster;
    const [first, ...others] = await Promise.all([
      campaign,
      ...(isDrawn ? [outageCampaign(), ...(hasKeys ? [keys()] : [])] : []),
    ]);
    const report = others.reduce(merged, first);
    write(values.report, report);
    process.exitCode = report.violations.length === 0 ? 0 : 1;
  } finally {
    await temporal.stop();
    await code.remove();
  }
}

/** Runs a campaign with episodes of keys only. */
async function playKeys(
  folder: string,
  options: Pick<KeysCampaignOptions, 'seed' | 'nextPlan' | 'shrinksForMs'>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const code = await build('keys');
  try {
    const onEpisode = keepFailingKeys(folder);
    const report = await runKeysCampaign({ ...options, build: code, workers: 2, onEpisode });
    write(folder, report);
    process.exitCode = report.violations.length === 0 ? 0 : 1;
  } finally {
    await code.remove();
  }
}

interface LedgerOutageOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly folder: string;
}

/** Starts sessions at a steady rate, while the ledger is down for some minutes. */
async function runLedgerOutage({ seed, minutes, folder }: LedgerOutageOptions): Promise<void> {
  console.log(`--seed ${seed}`);
  mkdirSync(folder, { recursive: true });
  const code = await build('ledger-away');
  const seconds = minutes * 60;
  const endsAtMs = Date.now() + 2 * AROUND_LEDGER_AWAY_MS + seconds * 1_000;
  let number = 0;
  try {
    const report = await runCampaign({
      seed,
      build: code,
      hasLedger: true,
      lanes: 1,
      workers: 2,
      settlesWithinMs: SETTLES_AFTER_AWAY_MS,
      beginsEveryMs: BEGINS_EVERY_MS,
      ledgerAway: { afterMs: AROUND_LEDGER_AWAY_MS, seconds },
      nextPlan: () => (Date.now() > endsAtMs ? undefined : drawSteadyPlan(seed, (number += 1))),
      patienceMs: AWAY_PATIENCE_MS + seconds * 1_000,
      onEpisode: keepFailing(folder),
      onDiverged: keepDiverged(folder),
      onProgress: (line) => {
        console.error(line);
      },
      replays: REPLAYS_OF_OUTAGES,
    });
    write(folder, report);
    process.exitCode = report.violations.length === 0 ? 0 : 1;
  } finally {
    await code.remove();
  }
}

const rollsOut = ({ sessions }: Plan): boolean =>
  sessions.some(({ strikes }) => strikes.some(({ strike }) => strike === 'rollOut'));

/** Returns a function that draws plans with an outage, as long as there is time for another episode. */
function drawnAway(seed: number, endsAtMs: number, isTemporalShared: boolean): () => Plan | undefined {
  let number = 0;
  return () => {
    const leftMs = endsAtMs - Date.now() - AROUND_AWAY_MS;
    number += 1;
    // As long as there is time, two of three outages are long.
    const isLong = leftMs > LONG_AWAY_SECONDS * 1_000 && number % 3 > 0;
    const seconds = isLong ? LONG_AWAY_SECONDS : SHORT_AWAY_SECONDS;
    return leftMs < seconds * 1_000
      ? undefined
      : drawAwayPlan(seed, number, { sessions: AWAY_SESSIONS, seconds, isTemporalShared });
  };
}

/** Returns a function that draws plans of keys, as long as there is time for another episode. */
function drawnKeys(seed: number, endsAtMs: number): () => KeysPlan | undefined {
  let number = 0;
  return () => {
    if (Date.now() > endsAtMs - KEYS_EPISODE_MS) return undefined;
    number += 1;
    return drawKeysPlan(seed, number);
  };
}

interface Drawn {
  readonly seed: number;
  readonly options: DrawOptions;
  readonly isOver: () => boolean;
}

function drawn({ seed, options, isOver }: Drawn): () => Plan | undefined {
  let number = 0;
  return () => {
    if (isOver()) return undefined;
    number += 1;
    return drawPlan(seed, number, options);
  };
}

/** Returns a function that writes each plan that violated an invariant, with the evidence about the sessions in question. */
function keepFailing(folder: string): (episode: Episode) => void {
  let failing = 0;
  return ({ plan, evidence, violations }) => {
    if (violations.length === 0) return;
    failing += 1;
    const file = join(folder, `failing-${failing}.json`);
    writeFileSync(file, `${JSON.stringify(plan, undefined, 2)}\n`);
    for (const { histories, ...known } of evidence) {
      const { key } = known;
      if (!violations.some(({ where }) => where === key)) continue;
      writeFileSync(
        join(folder, `failing-${failing}-${key}.json`),
        `${JSON.stringify(known, undefined, 2)}\n`,
      );
      for (const [run, history] of histories.entries())
        writeFileSync(
          join(folder, `failing-${failing}-${key}-run-${run + 1}.json`),
          JSON.stringify(historyToJson(history)),
        );
    }
    const lines = violations.map(
      ({ invariant, where, what }) => `(${invariant}) ${where}: ${what} → ${file}`,
    );
    for (const line of new Set(lines)) console.error(line);
  };
}

/** Returns a function that writes each history that does not replay. */
const keepDiverged =
  (folder: string) =>
  ({ name, history }: RecordedHistory): void => {
    const file = join(folder, `diverged-${name.replaceAll(' ', '-')}.json`);
    writeFileSync(file, JSON.stringify(historyToJson(history)));
    console.error(`(f) ${name}: does not replay → ${file}`);
  };

/** Returns a function that writes each plan of keys that violated an invariant, with the evidence about the keys in question. */
function keepFailingKeys(folder: string): (episode: KeysEpisode) => void {
  let failing = 0;
  return ({ plan, evidence: { keys, ...upheavals }, violations }) => {
    if (violations.length === 0) return;
    failing += 1;
    const file = join(folder, `failing-keys-${failing}.json`);
    writeFileSync(file, `${JSON.stringify(plan, undefined, 2)}\n`);
    const known = keys.filter(({ key }) => violations.some(({ where }) => where === key));
    writeFileSync(
      join(folder, `failing-keys-${failing}-known.json`),
      `${JSON.stringify({ ...upheavals, keys: known }, undefined, 2)}\n`,
    );
    for (const { invariant, where, what } of violations)
      console.error(`(${invariant}) ${where}: ${what} → ${file}`);
  };
}

function write(folder: string, report: Report): void {
  const text = markdownOf(report);
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(join(folder, 'report.md'), text);
  if (report.shrunk !== undefined)
    writeFileSync(join(folder, 'shrunk.json'), `${JSON.stringify(report.shrunk.plan, undefined, 2)}\n`);
  console.log(text);
}

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  // After it has killed processes, Node may wait forever while it cleans up. So the process exits explicitly.
  .finally(() => process.exit());
