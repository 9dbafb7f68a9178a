import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRatios, type ExpectedRatios } from './figures/ratios';
import { writeFigures } from './report/docs';
import { PROJECT } from './report/project';
import { keepResult, machineFacts, readResults, type Measured } from './report/results';
import { asText, rounded, tableOf } from './report/table';
import type { BothSides } from './sides/both-sides';
import { PAGE_ORDER, PEERS, QUICK, WORKLOADS, type Workload } from './workloads/all';

const HELP = `Measures paysession against the same job written by hand (bench/baseline).

  npm run bench                        the usual workloads, in about a quarter of an hour; writes bench/results.json and the tables
                                       of docs/guides/benchmarks.md
  npm run bench -- --peers             also measures the job on DBOS and Restate, in eight minutes more; bench/peers/README.md says
                                       what they need
  npm run bench -- --only NAME …       only these workloads: ${WORKLOADS.map(({ name }) => name).join(', ')};
                                       BENCH_DATABASE=FILE keeps the sessions of console between runs
  npm run bench -- --docs              measures nothing; writes the tables of docs/guides/benchmarks.md from bench/results.json
  npm run bench -- --quick             one short workload; fails if a ratio is more than a fifth above the one in
                                       bench/expected.json, or below half of it
`;

const EXPECTED = join(PROJECT, 'bench', 'expected.json');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: 'boolean' },
      peers: { type: 'boolean' },
      quick: { type: 'boolean' },
      docs: { type: 'boolean' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help === true) print(HELP);
  else if (values.docs === true) writeDocs();
  else if (process.platform !== 'linux')
    throw new Error('CPU time is read from /proc: the bench needs Linux.');
  else if (values.quick === true) await quick();
  else
    await measureAll([
      ...(values.peers === true ? [PEERS] : []),
      ...chosen(values.only === true, positionals),
    ]);
}

function chosen(only: boolean, names: readonly string[]): readonly Workload[] {
  const unknown = names.filter((name) => !WORKLOADS.some((workload) => workload.name === name));
  const isNamed = names.length > 0;
  if (unknown.length > 0 || only !== isNamed) throw new Error(HELP);
  return WORKLOADS.filter(({ name, isExtra }) => (only ? names.includes(name) : isExtra !== true));
}

function writeDocs(): void {
  writeFigures(readResults(), PAGE_ORDER);
}

/** Measures the workloads one after the other. Stores each result at once, so that a later failure loses no result. */
async function measureAll(workloads: readonly Workload[]): Promise<void> {
  const startedAtMs = Date.now();
  for (const workload of workloads) {
    keepResult(workload.name, await measure(workload));
    writeDocs();
  }
  progress(
    `\nThis took ${Math.round((Date.now() - startedAtMs) / 1_000)} s. The figures are in bench/results.json and docs/guides/benchmarks.md.`,
  );
}

async function measure({ title, name, run, targets, temporal }: Workload): Promise<Measured> {
  progress(`${name} …`);
  const startedAt = new Date();
  const figures = await run();
  const tookSeconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
  print(`\n${title} (${name}, took ${tookSeconds} s)\n\n${asText(tableOf(figures, targets))}`);
  const machine = { ...(await machineFacts()), ...(temporal !== undefined && { temporal }) };
  return { title, at: startedAt.toISOString(), tookSeconds, machine, figures, ...(targets && { targets }) };
}

async function quick(): Promise<void> {
  const { figures } = await measure(QUICK);
  const expected = JSON.parse(readFileSync(EXPECTED, 'utf8')) as ExpectedRatios;
  const ratios = checkRatios(figures as BothSides<unknown>, expected);
  for (const { figure, measured, expected: usual, isOff } of ratios) {
    print(
      `${isOff ? 'OFF' : 'ok '} ${figure}: ${rounded(measured)} of the baseline's, expected ${rounded(usual)}`,
    );
  }
  if (ratios.some(({ isOff }) => isOff)) process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

// The sides delete their folders on the event `exit`. A signal without a listener would end the process without this event.
// Servers, workers and sandboxes end with this process in any case.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => process.exit(code));
}

main().then(
  // A failed workload may leave connections or timers behind. They must not keep the process running.
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
