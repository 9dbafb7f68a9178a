import type { Client } from '@temporalio/client';
import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import type { HeldSessions } from '../../activities';
import type { PaymentLedger } from '../../ledger';
import type { CallKind, ServiceObserver } from '../../src/service';
import { WORKFLOW_TYPE } from '../../src/protocol/names';
import { SESSION_PHASES, type Anomaly, type CancelOutcome } from '../../src/protocol/state/recorded';
import { openSessionsOn } from '../../src/sessions';
import type { LedgerObserver } from '../session-ledger';
import { instrumentsOf, type Instruments } from './instruments';
import { WORKER_METRICS as METRICS } from './metrics-table';
import { repeatUntil } from '../repeat-until';
import type { HealthWatch } from '../health';
import type { ErrorCode } from '../../src/errors';
import { SESSION_KINDS } from '../../src/contract/statuses';
import type { CreateOutcome } from '../../src/protocol/activities';
import { SESSION_METRICS } from '../../src/protocol/temporal/telemetry';
import type { ChangeListener } from '../../activities/follow-session';
import type { HintedOutcome } from '../hinted-refreshes';
import type { HintOutcome } from '../hints';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

/** The worker that the metrics describe. */
export interface CountedWorker {
  /** The meter of Temporal's runtime. If no metrics are exported, it is the SDK's no-op meter, and nothing is measured. */
  readonly meter: MetricMeter;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly accounts: readonly string[];
  readonly client: Client;
  readonly held: Pick<HeldSessions, 'size' | 'most'>;
  readonly ledger?: Pick<PaymentLedger, 'payments'> | undefined;
}

/** The metrics of a worker. */
export interface WorkerMetrics {
  readonly observer: ServiceObserver;
  readonly ledgerObserver: LedgerObserver;
  readonly onChange: ChangeListener;
  /** Called when the worker receives data and lacks the encryption key of that data. */
  readonly onUndecryptable: () => void;
  readonly hints: ReturnType<typeof hintMetrics>;
  /** Sets the metric that shows if a pause blocks an account's calls. */
  readonly showPaused: (account: string, isPaused: boolean) => void;
  /** Makes the metrics show the findings of these health checks, too. */
  showHealth(watch: Pick<HealthWatch, 'checks'>): void;
  /** Updates the gauges regularly until the signal aborts. */
  watch(signal: AbortSignal): void;
}

const MEASURE_EVERY_MS = 2_000;

/**
 * The interval of counts in Temporal's search and in the ledger. It is longer than {@link MEASURE_EVERY_MS}, because all workers share
 * Temporal's search, and its results lag by seconds anyway.
 */
const COUNT_EVERY_MS = 30_000;

export function workerMetrics(counted: CountedWorker): WorkerMetrics {
  const { namespace, taskQueue, accounts } = counted;
  const meter = counted.meter.withTags({ namespace, taskQueue });
  const instruments = instrumentsOf(meter);
  let health: Pick<HealthWatch, 'checks'> | undefined;
  return {
    observer: serviceMetrics(instruments),
    ledgerObserver: ledgerMetrics(instruments),
    onChange: (account, sinceLookMs) => {
      instruments.record(METRICS.changeDelay, sinceLookMs, { account });
    },
    onUndecryptable: () => {
      instruments.add(METRICS.undecryptable, 1);
    },
    hints: hintMetrics(instruments),
    showPaused: (account, isPaused) => {
      instruments.set(METRICS.paused, isPaused ? 1 : 0, { account });
    },
    showHealth: (watch) => {
      health = watch;
    },
    watch: (signal) => {
      if (counted.meter === noopMetricMeter) return;
      showZeros(meter, accounts);
      void repeatUntil(signal, () => {
        const { set } = instruments;
        set(METRICS.held, counted.held.size);
        set(METRICS.heldLimit, counted.held.most);
        for (const { name: check, ok } of health?.checks() ?? []) set(METRICS.health, ok ? 1 : 0, { check });
        return Promise.resolve(MEASURE_EVERY_MS);
      });
      void repeatUntil(signal, async () => {
        // If a count fails, the metric keeps its last value.
        await Promise.allSettled([showOpen(instruments, counted), showReturns(instruments, counted)]);
        return COUNT_EVERY_MS;
      });
    },
  };
}

const OPEN_PHASES = SESSION_PHASES.filter((phase) => phase !== 'ended');

/** Sets the number of open sessions in each phase, as Temporal's search counts them. */
async function showOpen({ set }: Instruments, { client, taskQueue }: CountedWorker): Promise<void> {
  // The phases are counted one after the other, because all workers share the search and no caller waits for the counts.
  for (const phase of OPEN_PHASES) {
    const query = `${openSessionsOn(taskQueue)} AND ${SEARCH_ATTRIBUTES.phase} = '${phase}'`;
    const { count } = await client.workflow.count(query);
    set(METRICS.openSessions, count, { phase });
  }
}

async function showReturns({ set }: Instruments, { ledger }: CountedWorker): Promise<void> {
  const totals = await ledger?.payments.totals({ waiting: true });
  if (totals !== undefined) set(METRICS.returnsWaiting, totals.count);
}

/** Counts the calls between a worker and the payment service. */
function serviceMetrics({ add, record }: Instruments): ServiceObserver {
  return {
    callEnded: ({ account, call, class: callClass, ms }) => {
      add(METRICS.serviceCalls, 1, { account, call, class: callClass });
      if (callClass !== 'unreachable' && callClass !== 'aborted') {
        record(METRICS.serviceLatency, ms, { account, call });
      }
    },
    turnTaken: ({ account, call, waitedMs }) => {
      record(METRICS.turnWait, waitedMs, { account, call });
    },
    turnedAway: ({ account, call }) => {
      add(METRICS.turnedAway, 1, { account, call });
    },
    paused: ({ account, cause }) => {
      add(METRICS.pauses, 1, { account, cause });
    },
    tokenRenewed: ({ account }) => {
      add(METRICS.tokens, 1, { account });
    },
  };
}

/** Returns the values of a union type. The type checker makes sure that no value is missing. */
const valuesOf = <V extends string>(values: Readonly<Record<V, true>>) => Object.keys(values) as V[];

const HINTS = valuesOf<HintOutcome>({ taken: true, empty: true, refused: true, limited: true });
const HINTED = valuesOf<HintedOutcome>({ refreshed: true, unknown: true, failed: true });

/** Counts hints, and the sessions that they name. */
function hintMetrics({ add }: Instruments) {
  return {
    /** Called when the endpoint begins to listen. */
    began: () => {
      for (const outcome of HINTS) add(METRICS.hints, 0, { outcome });
      for (const outcome of HINTED) add(METRICS.hintedSessions, 0, { outcome });
    },
    hint: (outcome: HintOutcome) => {
      add(METRICS.hints, 1, { outcome });
    },
    session: (outcome: HintedOutcome) => {
      add(METRICS.hintedSessions, 1, { outcome });
    },
  };
}

/** Counts the calls between a worker and its ledger. */
function ledgerMetrics({ add, set, record }: Instruments): LedgerObserver {
  return {
    called: (call, ms, succeeded) => {
      if (succeeded) record(METRICS.ledgerLatency, ms, { call });
      add(METRICS.ledgerFailures, succeeded ? 0 : 1, { call });
    },
    away: (isAway) => {
      set(METRICS.ledgerAway, isAway ? 1 : 0);
    },
  };
}

const CALLS = valuesOf<CallKind>({ create: true, poll: true, refresh: true, cancel: true });

/** Errors that pause an account's calls. */
const PAUSES: readonly ErrorCode[] = [
  'SERVICE_UNREACHABLE',
  'SERVICE_FAILED',
  'SERVICE_INTERRUPTED',
  'SERVICE_RATE_LIMITED',
];

const OUTCOMES = valuesOf<CreateOutcome['outcome']>({
  created: true,
  notSent: true,
  rejected: true,
  unknown: true,
});

const ANOMALIES = valuesOf<Anomaly['kind']>({
  unknownStatus: true,
  unknownCode: true,
  unreadableCode: true,
  missingCode: true,
  backwardStatus: true,
  possibleOrphan: true,
  sessionUnknown: true,
  wrongSession: true,
  recordFull: true,
});

const CANCELS = valuesOf<Exclude<CancelOutcome, 'alreadyEnded'>>({
  cancelled: true,
  neverCreated: true,
  possiblyCreated: true,
  lostToCompletion: true,
  lostToFailure: true,
  lostToExpiry: true,
});

/**
 * Sets all counters to 0 at the start. A counter that first appears with the value 1 shows no increase to Prometheus. So without the 0,
 * no alert would report the first parked session, for example.
 */
function showZeros(meter: MetricMeter, accounts: readonly string[]): void {
  const own = instrumentsOf(meter);
  const ofWorkflows = instrumentsOf(meter.withTags({ workflowType: WORKFLOW_TYPE }));
  own.add(METRICS.undecryptable, 0);
  for (const account of accounts) {
    showAccount(own, account);
    showSessions(ofWorkflows, account);
  }
}

function showAccount({ add, set }: Instruments, account: string): void {
  add(METRICS.tokens, 0, { account });
  for (const call of CALLS) add(METRICS.turnedAway, 0, { account, call });
  for (const cause of PAUSES) add(METRICS.pauses, 0, { account, cause });
  set(METRICS.paused, 0, { account });
}

function showSessions({ add }: Instruments, account: string): void {
  const { parked, possibleOrphans, unverifiedEnds } = SESSION_METRICS;
  for (const counter of [parked, possibleOrphans, unverifiedEnds]) add(counter, 0, { account });
  for (const outcome of OUTCOMES) add(SESSION_METRICS.creates, 0, { account, outcome });
  for (const anomaly of ANOMALIES) add(SESSION_METRICS.anomalies, 0, { account, anomaly });
  for (const by of ['caller', 'deadline']) add(SESSION_METRICS.cancelsRequested, 0, { account, by });
  for (const outcome of CANCELS) add(SESSION_METRICS.cancelsSettled, 0, { account, outcome });
  for (const kind of SESSION_KINDS) {
    add(SESSION_METRICS.started, 0, { account, kind });
    add(SESSION_METRICS.answered, 0, { account, kind });
  }
}
