import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import process from 'node:process';

/**
 * Runs the three programs in turn, several times, and prints the medians of their figures: as a table, or with `--json`
 * as the input of `npm run bench`.
 */
const PEERS = /** @type {const} */ (['paysession', 'dbos', 'restate']);

/** The figures by their names in the bench. Each function reads the figure from the output of a program. */
const FIGURES = /** @type {const} */ ({
  cpuMs: (/** @type {any} */ run) => run.cpuMsPerSession.both,
  temporalCpuMs: (/** @type {any} */ run) => run.cpuMsPerSession.server,
  workerCpuMs: (/** @type {any} */ run) => run.cpuMsPerSession.worker,
  idleCpuMs: (/** @type {any} */ run) => run.idleCpuMsPerSecond.server + run.idleCpuMsPerSecond.worker,
  detailsCalls: (/** @type {any} */ run) => run.detailsCallsPerSession,
  'delayMs.p50': (/** @type {any} */ run) => run.detectionDelayMs.p50,
  'openMs.p50': (/** @type {any} */ run) => run.startToCheckoutUrlMs.p50,
  openedPerSecond: (/** @type {any} */ run) => run.openedPerSecond,
});

const run = promisify(execFile);

// The options `--rounds` and `--json` are for this program. All others are passed on to the three programs.
const isJson = process.argv.includes('--json');
const { rounds, others } = readRounds(process.argv.slice(2).filter((argument) => argument !== '--json'));
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
const medians = PEERS.map((peer) =>
  Object.entries(FIGURES).map(
    ([name, figure]) => /** @type {const} */ ([name, median((runs[peer] ?? []).map(figure))]),
  ),
);
if (isJson) {
  const entries = medians.map((figures, index) => [PEERS[index], Object.fromEntries(figures)]);
  console.log(JSON.stringify(Object.fromEntries(entries)));
} else printTable();

function printTable() {
  const header = ['', ...PEERS, ...PEERS.slice(1).map((peer) => `against ${peer}`)];
  const rows = Object.keys(FIGURES).map((name, row) => {
    const [ours = NaN, ...theirs] = medians.map((figures) => figures[row]?.[1] ?? NaN);
    const values = [ours, ...theirs].map((value) => value.toFixed(1));
    return [name, ...values, ...theirs.map((value) => (ours / value).toFixed(2))];
  });
  for (const row of [header, header.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]) {
    console.log(`| ${row.join(' | ')} |`);
  }
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
