import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerDatabase } from '../../../../ledger';
import type { ReconciliationTotals } from '../../../../ledger/reconciliation/totals';
import { seededRandom, testSeed } from '../../../support/seed';
import {
  deliveredFiles,
  moneyIn,
  recordPaidSessions,
  type DeliveredFiles,
} from '../../../support/ledger/reconciliation-files';
import { closesLater, testLedger } from '../../../support/ledger/test-ledger';

const CLI = join(__dirname, '..', '..', '..', '..', 'dist', 'cli', 'main.js');
/** The size of the test. With a hundred runs, the files have 10,000 lines, and each line is delivered twice. */
const RUNS = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 5);
const [SESSIONS, KILLS] = [RUNS * 97, Math.max(2, RUNS / 5)];
/** The test must not read more often, because each read takes time of PostgreSQL that the command needs. */
const READ_EVERY_MS = 50;
const MOST_BYTES = 300 * 1_024 * 1_024;

/**
 * Prints the process's peak memory when it exits. On Linux, `maxRSS` also counts the memory of the parent process. So there, the script
 * reads the process's own peak from `/proc`.
 */
const PRINT_PEAK_MEMORY = `import { readFileSync } from 'node:fs';
  const own = () => /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1];
  const most = () => (process.platform === 'linux' ? own() : process.resourceUsage().maxRSS);
  process.on('exit', () => process.stderr.write('\\nmost ' + most()));`;

/** Starts `paysession reconcile` on all files. */
function reconcile(url: string, paths: readonly string[]) {
  const env = {
    ...process.env,
    PAYSESSION_LEDGER_URL: url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRINT_PEAK_MEMORY)}`,
  };
  const child = spawn(process.execPath, [CLI, 'reconcile', ...paths, '--jsonl'], { env });
  return { child, output: Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]) };
}

async function written({ files }: DeliveredFiles): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-files-'));
  closesLater(() => rm(folder, { recursive: true }));
  for (const { name, text: content } of files) await writeFile(join(folder, name), content);
  return files.map(({ name }) => join(folder, name));
}

const recorded = async (database: LedgerDatabase): Promise<number> => {
  const { settled, returned } = await moneyIn(database);
  return settled.count + returned.count;
};

test(`files of 90 days for ${SESSIONS} payments come twice and out of order, and reconcile is killed ${KILLS} times: each line is matched once or reported`, async () => {
  const { url, ledger, database } = await testLedger();
  await recordPaidSessions(ledger, SESSIONS);
  const delivered = deliveredFiles(SESSIONS, seededRandom(testSeed()));
  const paths = await written(delivered);
  const all = delivered.settled.count + delivered.returned.count;
  const sinceMs = performance.now();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, output } = reconcile(url, paths);
    while ((await recorded(database)) < (all * kill) / (KILLS + 1)) await sleep(READ_EVERY_MS);
    child.kill('SIGKILL');
    await output;
  }
  const lastMs = performance.now();
  const [stdout, stderr] = await reconcile(url, paths).output;
  const endMs = performance.now();
  const mostBytes = Number(/most (\d+)/.exec(stderr)?.[1]) * 1_024;
  process.stderr.write(
    `${delivered.lines} lines: ${Math.round(endMs - sinceMs)} ms in all, ${Math.round(endMs - lastMs)} ms the last run, ${Math.round(mostBytes / 1_048_576)} MiB\n`,
  );
  const last = stdout.trim().split('\n').at(-1) ?? '';
  const { summary: totals } = JSON.parse(last) as { readonly summary: ReconciliationTotals };
  expect(totals).toMatchObject({ lines: delivered.lines, reasons: delivered.reasons });
  const { settled, returned } = delivered;
  expect(await moneyIn(database)).toEqual({ settled, returned });
  expect(mostBytes).toBeLessThan(MOST_BYTES);
}, 600_000);
