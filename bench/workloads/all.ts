import { SERVER_VERSION } from '../../chaos/cluster';
import type { Targets } from '../report/table';
import { cancels } from './cancels';
import { consolePages } from './console-pages';
import { checkoutUrls } from './checkout-url';
import { endedSessions } from './ended-sessions';
import { firstTest } from './first-test';
import { ledgerSessions } from './ledger/ledger-sessions';
import { longSession } from './long-sessions';
import { webhooks } from './ledger/webhooks';
import { openSessions } from './open-sessions';
import { payments } from './ledger/payments';
import { peers } from './peers';
import { reconciledFiles } from './ledger/reconciled-files';
import { verifiedEntries } from './ledger/verified-entries';
import { aboveFloor, onCluster, throughput } from './throughput';
import { waysToWait } from './ways';
import { workflowCode } from './workflow-code';

export interface Workload {
  readonly name: string;
  readonly title: string;
  /** True if the workload runs only when it is named on the command line. */
  readonly isExtra?: true;
  /** @default none */
  readonly targets?: Targets;
  /** The name and version of the workload's Temporal server. @default those of the development server */
  readonly temporal?: string;
  /**
   * Runs the workload. Returns its figures as a JSON value. If several sides run, the figures are by the names of the
   * sides.
   */
  readonly run: () => Promise<unknown>;
}

/**
 * All workloads, in the order in which they run. Those that are not extra take about a quarter of an hour on two idle
 * cores.
 */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'ten-seconds',
    title: 'Sessions that the service completes after 10 s',
    targets: { cpuMs: '≤ 0.45' },
    run: () => endedSessions({ sessions: 70, completedAfterMs: 10_000, perSecond: 2 }),
  },
  {
    name: 'five-minutes',
    title: 'Sessions that the service completes after 5 min',
    targets: { cpuMs: '≤ 0.09' },
    run: () => endedSessions({ sessions: 30, completedAfterMs: 300_000, perSecond: 1 }),
  },
  {
    name: 'checkout-url',
    title: 'From the start of a session to its checkout URL, one at a time',
    run: () => checkoutUrls(100),
  },
  {
    name: 'throughput',
    title: 'Sessions that the service completes at once, 60 open at a time',
    targets: { sessionsPerSecond: '≥ 1.0', cpuMs: '≤ 0.90', workerCpuMs: '≤ 0.95' },
    run: () => throughput({ atOnce: 60, turnMs: 4_000, turns: 6 }),
  },
  {
    name: 'floor',
    title: 'Sessions that end at once, and a program that makes nothing but their calls',
    targets: { cpuMs: '≤ 1.10' },
    isExtra: true,
    run: () => aboveFloor({ atOnce: 60, turnMs: 4_000, turns: 6 }),
  },
  {
    name: 'cluster',
    title: 'Sessions that the service completes at once, on a Temporal cluster with PostgreSQL',
    targets: { cpuMs: '≤ 0.85' },
    temporal: `Temporal server ${SERVER_VERSION} on PostgreSQL`,
    isExtra: true,
    run: () => onCluster({ atOnce: 60, turnMs: 4_000, turns: 6 }),
  },
  {
    name: 'open',
    title: 'Open sessions on one worker, polled every ten seconds',
    run: () => openSessions({ levels: [500, 1_500], pollsEveryMs: 10_000 }),
  },
  {
    name: 'open-20000',
    title: 'Open sessions on one worker, polled every minute',
    targets: { workerKib: '≤ 80 KiB' },
    isExtra: true,
    run: () => openSessions({ levels: [1_000, 5_000, 20_000], pollsEveryMs: 60_000, inMemory: true }),
  },
  {
    name: 'ways',
    title: 'A poll every three seconds, with three ways to wait in between',
    targets: { pollWorkerMs: '≤ 0.8 ms' },
    isExtra: true,
    run: () => waysToWait({ openSessions: 60, pollsEveryMs: 3_000, measuredMs: 45_000 }),
  },
  {
    name: 'workflow-code',
    title: 'Workflow code of a session that ends at once, in the SDK’s sandbox without a server',
    targets: { codeCpuMs: '≤ 0.6', codeKib: '≤ 0.6' },
    isExtra: true,
    run: () => workflowCode({ sessions: 100, turns: 7 }),
  },
  {
    name: 'console',
    title: 'Pages of the console, with 50,000 sessions in Temporal’s index',
    isExtra: true,
    run: () => consolePages({ sessions: 50_000, requests: 60, databaseFile: process.env['BENCH_DATABASE'] }),
  },
  {
    name: 'first-test',
    title: 'A test of a workflow that waits for a payment, in virtual time',
    targets: {
      'coldS.p50': '≤ 5 s',
      'warmS.p50': '≤ 2.5 s',
      'worldS.p50': '≤ 0.5 s',
      'vitestS.p50': '≤ 6 s',
      'jestS.p50': '≤ 8 s',
      'vitestRerunS.p50': '≤ 2 s',
      'jestRerunS.p50': '≤ 2 s',
    },
    isExtra: true,
    run: () => firstTest({ rounds: 3 }),
  },
  {
    name: 'ledger',
    title: 'Sessions that the service completes after 10 s, on a worker with a ledger',
    targets: { cpuMs: '≤ 1.1', moreEvents: '≤ 3', moreActions: '≤ 1', 'claimMs.p95': '≤ 5 ms' },
    isExtra: true,
    run: () => ledgerSessions({ sessions: 300, completedAfterMs: 10_000, perSecond: 5, before: 100 }),
  },
  {
    name: 'webhooks',
    title: 'Webhooks of 2,500 sessions to an endpoint',
    targets: { 'webhookMs.p99': '≤ 1,000 ms', deliveryCpuMs: '≤ 5 ms' },
    isExtra: true,
    run: () => webhooks({ sessions: 2_500, perSecond: 20 }),
  },
  {
    name: 'verify',
    title: '`paysession ledger verify` of a million entries',
    targets: { verifySeconds: '≤ 60 s', verifyMiB: '≤ 300 MiB' },
    isExtra: true,
    run: () => verifiedEntries({ sessions: 200_000 }),
  },
  {
    name: 'reconcile',
    title: '`paysession reconcile` of the files of 93 days, each delivered twice',
    targets: { reconcileSeconds: '≤ 20 s', reconcileMiB: '≤ 300 MiB', 'unmatchedPageMs.p95': '≤ 200 ms' },
    isExtra: true,
    run: () => reconciledFiles({ payments: 12_200 }),
  },
  {
    name: 'payments',
    title: 'Pages of the console, with a million payments in the ledger',
    isExtra: true,
    run: () => payments({ payments: 1_000_000, requests: 40 }),
  },
  {
    name: 'abandoned',
    title: 'A session that no payor finishes, cancelled after 25 h',
    run: () => longSession('abandoned'),
  },
  {
    name: 'unsigned',
    title: 'A session that is never signed, for 30 days',
    run: () => longSession('unsigned'),
  },
  {
    name: 'cancels',
    title: 'Cancellations while the polls of 500 sessions hang',
    run: () => cancels({ openSessions: 500, cancels: 30 }),
  },
];

/**
 * The workload of `--peers`: compares paysession with programs that users of DBOS and Restate might write.
 * bench/peers/README.md says what to install for it.
 */
export const PEERS: Workload = {
  name: 'peers',
  title: 'Sessions that the service completes after 10 s, polled every second, next to DBOS and Restate',
  run: () => peers({ rounds: 3, sessions: 30, completesAfterS: 10, pollEveryMs: 1_000 }),
};

/** The order of tables in docs/guides/benchmarks.md. */
export const PAGE_ORDER = [...WORKLOADS, PEERS].map(({ name }) => name);

/** The workload that continuous integration runs. It checks only the ratios. */
export const QUICK: Workload = {
  name: 'ten-seconds',
  title: 'Sessions that the service completes after 10 s',
  run: () => endedSessions({ sessions: 30, completedAfterMs: 10_000, perSecond: 2 }),
};
