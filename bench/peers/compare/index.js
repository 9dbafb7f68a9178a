import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import process from 'node:process';

/** Runs the same job on every engine in turn, several times, and prints the medians with paysession's share of each. */
const PEERS = ['paysession', 'dbos', 'restate'];

const FIGURES = /** @type {const} */ ({
  'CPU per session, engine and worker (ms)': (/** @type {any} */ run) => run.cpuMsPerSession.both,
  'of the engine': (/** @type {any} */ run) => run.cpuMsPerSession.engine,
  'of the worker': (/** @type {any} */ run) => run.cpuMsPerSession.worker,
  'idle CPU, both (ms a second)': (/** @type {any} */ run) =>
    run.idleCpuMsPerSecond.engine + run.idleCpuMsPerSecond.worker,
  'details calls per session': (/** @type {any} */ run) => run.detailsCallsPerSession,
  'detection delay, p50 (ms)': (/** @type {any} */ run) => run.detectionDelayMs.p50,
  'start to checkout URL, p50 (ms)': (/** @type {any} */ run) => run.startToCheckoutUrlMs.p50,
  'sessions opened a second': (/** @type {any} */ run) => run.openedPerSecond,
});

const run = promisify(execFile);

// All options but the rounds are the peers' own.
const { rounds, others } = readRounds(process.argv.slice(2));
/** @type {Record<string, any[]>} */
const runs = Object.fromEntries(PEERS.map((peer) => [peer, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const peer of PEERS) {
    console.error(`${peer}, round ${round + 1} of ${rounds} …`);
    const { stdout } = await run(process.execPath, [
      fileURLToPath(new URL(`../${peer}/index.js`, import.meta.url)),
      ...others,
    ]);
    runs[peer]?.push(JSON.parse(stdout));
  }
}
const header = ['', ...PEERS, ...PEERS.slice(1).map((peer) => `against ${peer}`)];
const rows = Object.entries(FIGURES).map(([name, figure]) => {
  const medians = PEERS.map((peer) => median((runs[peer] ?? []).map(figure)));
  const [ours = NaN, ...theirs] = medians;
  return [
    name,
    ...medians.map((value) => value.toFixed(1)),
    ...theirs.map((value) => (ours / value).toFixed(2)),
  ];
});
for (const row of [header, header.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]) {
  console.log(`| ${row.join(' | ')} |`);
}

/** @param {readonly string[]} args */
function readRounds(args) {
  const at = args.indexOf('--rounds');
  if (at < 0) return { rounds: 3, others: args };
  const { values } = parseArgs({
    args: args.slice(at, at + 2),
    options: { rounds: { type: 'string', default: '3' } },
  });
  return { rounds: Number(values.rounds), others: args.toSpliced(at, 2) };
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
