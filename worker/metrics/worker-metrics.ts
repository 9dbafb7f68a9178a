import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import type { HeldSessions, NewsListener } from '../../activities';
import type { ServiceObserver } from '../../src/service';
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
  return {
    observer: serviceMetrics(instruments),
    onNews: (account, sinceLookMs) => {
      instruments.record(METRICS.newsDelay, sinceLookMs, { account });
    },
    onUndecryptable: () => {
      instruments.add(METRICS.undecryptable, 1);
    },
    watch: (signal) => {
      if (counted.meter === noopMetricMeter) return;
      showZeros(meter, accounts);
      void repeat(LOOK_EVERY_MS, signal, () => Promise.resolve(showHeld(instruments, counted)));
      void repeat(COUNT_EVERY_MS, signal, () => showOpen(instruments, counted));
    },
  };
}

function showHeld({ set }: Instruments, { held }: CountedWorker): void {
  set(METRICS.inHand, held.size);
  set(METRICS.inHandLimit, held.most);
}

/** What cannot be counted now keeps its last figure. */
async function showOpen({ set }: Instruments, { client, taskQueue }: CountedWorker): Promise<void> {
  const counts = await countOpenSessions(client, taskQueue).catch(() => undefined);
  for (const [phase, count] of counts ?? []) set(METRICS.openSessions, count, { phase });
}

/** Keeps no process alive. */
async function repeat(everyMs: number, signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
