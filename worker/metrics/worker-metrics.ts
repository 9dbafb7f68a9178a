import type { Client } from '@temporalio/client';
import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import type { HeldSessions, NewsListener } from '../../activities';
import type { ServiceObserver } from '../../src/service';
import type { HealthCheck, HealthWatch } from '../health/health-check';
import { repeatUntil } from '../health/repeat-until';
import { instrumentsOf, type Instruments } from './instruments';
import { WORKER_METRICS as METRICS } from './metrics-table';
import { countOpenSessions } from './open-sessions';
import { serviceMetrics } from './service-metrics';
import { showZeros } from './zeros';

/** What a worker's metrics are about. */
export interface CountedWorker {
  /** The runtime's meter; without an exporter it does nothing, and nothing is counted. */
  readonly meter: MetricMeter;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly accounts: readonly string[];
  readonly client: Client;
  readonly held: Pick<HeldSessions, 'size' | 'most'>;
}

/** Counts what happens in a worker. */
export interface WorkerMetrics {
  readonly observer: ServiceObserver;
  readonly onNews: NewsListener;
  /** Data came for which there is no key. */
  readonly onUndecryptable: () => void;
  /** Shows these checks as well. */
  showHealth(watch: Pick<HealthWatch, 'checks'>): void;
  /** Looks at what has to be looked at, until the signal aborts. */
  watch(signal: AbortSignal): void;
}

const LOOK_EVERY_MS = 2_000;
/** The engine's search is shared by all workers, and is seconds late by itself. */
const COUNT_EVERY_MS = 30_000;

export function workerMetrics(counted: CountedWorker): WorkerMetrics {
  const { namespace, taskQueue, accounts } = counted;
  const meter = counted.meter.withTags({ namespace, taskQueue });
  const instruments = instrumentsOf(meter);
  let health: Pick<HealthWatch, 'checks'> | undefined;
  return {
    observer: serviceMetrics(instruments),
    onNews: (account, sinceLookMs) => {
      instruments.record(METRICS.newsDelay, sinceLookMs, { account });
    },
    onUndecryptable: () => {
      instruments.add(METRICS.undecryptable, 1);
    },
    showHealth: (watch) => {
      health = watch;
    },
    watch: (signal) => {
      if (counted.meter === noopMetricMeter) return;
      showZeros(meter, accounts);
      void repeatUntil(signal, () => {
        showHeld(instruments, counted);
        showChecks(instruments, health?.checks() ?? []);
        return Promise.resolve(LOOK_EVERY_MS);
      });
      void repeatUntil(signal, async () => {
        await showOpen(instruments, counted);
        return COUNT_EVERY_MS;
      });
    },
  };
}

function showHeld({ set }: Instruments, { held }: CountedWorker): void {
  set(METRICS.inHand, held.size);
  set(METRICS.inHandLimit, held.most);
}

function showChecks({ set }: Instruments, checks: readonly HealthCheck[]): void {
  for (const { name: check, ok } of checks) set(METRICS.health, ok ? 1 : 0, { check });
}

/** What cannot be counted now keeps its last figure. */
async function showOpen({ set }: Instruments, { client, taskQueue }: CountedWorker): Promise<void> {
  const counts = await countOpenSessions(client, taskQueue).catch(() => undefined);
  for (const [phase, count] of counts ?? []) set(METRICS.openSessions, count, { phase });
}
