import type { MetricRow } from '../../src/protocol/temporal/telemetry';
import { metricText, type MetricSample } from '../metrics-text';
import type { KeeperEvent, KeeperJob } from './keep-ledger';

/** The metrics of a ledger's keeper. */
export const KEEPER_METRICS = {
  faulty: {
    name: 'paysession_ledger_faulty',
    type: 'gauge',
    labels: [],
    meaning:
      '1 from the moment in which the ledger was found to differ from its hashes or checkpoints, or a verification failed although the server answers, until a verification finds no fault, else 0.',
  },
  entries: {
    name: 'paysession_ledger_entries',
    type: 'gauge',
    labels: [],
    meaning: 'Entries that the last checkpoint covers.',
  },
  lastDone: {
    name: 'paysession_ledger_last_done_timestamp_seconds',
    type: 'gauge',
    labels: ['task'],
    meaning:
      'When a `checkpoint`, a `sweep` or a verification (`verify`) came to its end last, without an error; 0 before the first. In Unix time.',
  },
  every: {
    name: 'paysession_ledger_interval_seconds',
    type: 'gauge',
    labels: ['task'],
    meaning: 'How long the keeper waits from the end of a job to its next start.',
  },
  failures: {
    name: 'paysession_ledger_keeper_failures_total',
    type: 'counter',
    labels: ['task'],
    meaning: 'Jobs that did not come to their end; each is tried again within 30 seconds.',
  },
  skipped: {
    name: 'paysession_ledger_skipped_rows_total',
    type: 'counter',
    labels: [],
    meaning:
      'Rows that waited for a place in the log but belong to no entry, and were deleted. No part of paysession writes such rows.',
  },
  mended: {
    name: 'paysession_ledger_mended_sessions_total',
    type: 'counter',
    labels: [],
    meaning: 'Ended sessions of which a sweep recorded what the ledger lacked.',
  },
  unreadable: {
    name: 'paysession_ledger_unreadable_sessions',
    type: 'gauge',
    labels: [],
    meaning: 'Ended sessions that the last sweep could not read, for instance without their encryption key.',
  },
  late: {
    name: 'paysession_ledger_late_payments',
    type: 'gauge',
    labels: [],
    meaning:
      'Payments whose money has neither arrived nor come back in the business days that `PAYSESSION_LEDGER_LATE_AFTER_DAYS` allows, at the last sweep.',
  },
  returned: {
    name: 'paysession_ledger_returned_payments',
    type: 'gauge',
    labels: [],
    meaning: 'Payments whose money came back and that still wait for a person’s decision, at the last sweep.',
  },
  unmatched: {
    name: 'paysession_ledger_unmatched_lines',
    type: 'gauge',
    labels: [],
    meaning:
      'Lines of reconciliation files that no payment matches and no person has explained, at the last sweep.',
  },
} as const satisfies Record<string, MetricRow>;

/** Counts a keeper's events as Prometheus metrics. */
export class KeeperMetrics {
  #faulty = 0;
  #entries = 0;
  #skipped = 0;
  #mended = 0;
  #unreadable = 0;
  #late = 0;
  #returned = 0;
  #unmatched = 0;
  readonly #everySeconds: ReadonlyMap<string, number>;
  readonly #done: Map<string, number>;
  readonly #failures: Map<string, number>;

  /** @param everyMs the intervals of the keeper's jobs, in milliseconds */
  constructor(everyMs: Readonly<Partial<Record<KeeperJob, number>>>) {
    const jobs = Object.entries(everyMs);
    this.#everySeconds = new Map(jobs.map(([job, ms]) => [job, ms / 1_000]));
    this.#done = new Map(jobs.map(([job]) => [job, 0]));
    this.#failures = new Map(jobs.map(([job]) => [job, 0]));
  }

  count(event: KeeperEvent): void {
    switch (event.kind) {
      case 'checkpointed':
        this.#entries = event.size;
        this.#skipped += event.skipped;
        this.#endOf('checkpoint');
        break;
      case 'swept':
        this.#mended += event.mended;
        this.#unreadable = event.unreadable;
        this.#endOf('sweep');
        break;
      case 'counted':
        this.#late = event.late;
        this.#returned = event.returned;
        this.#unmatched = event.unmatched;
        break;
      case 'verified':
      case 'faulty':
        this.#faulty = event.kind === 'faulty' ? 1 : 0;
        this.#endOf('verify');
        break;
      case 'failed':
        if (isFinding(event)) this.#faulty = 1;
        this.#failures.set(event.job, (this.#failures.get(event.job) ?? 0) + 1);
        break;
    }
  }

  /** Returns all metrics in the text format of `/metrics`. */
  text(): string {
    const {
      faulty,
      entries,
      lastDone,
      every,
      failures,
      skipped,
      mended,
      unreadable,
      late,
      returned,
      unmatched,
    } = KEEPER_METRICS;
    return [
      metricText(faulty, [[this.#faulty]]),
      metricText(entries, [[this.#entries]]),
      metricText(lastDone, ofJobs(this.#done)),
      metricText(every, ofJobs(this.#everySeconds)),
      metricText(failures, ofJobs(this.#failures)),
      metricText(skipped, [[this.#skipped]]),
      metricText(mended, [[this.#mended]]),
      metricText(unreadable, [[this.#unreadable]]),
      metricText(late, [[this.#late]]),
      metricText(returned, [[this.#returned]]),
      metricText(unmatched, [[this.#unmatched]]),
    ].join('');
  }

  #endOf(job: KeeperJob): void {
    this.#done.set(job, Math.round(Date.now() / 1_000));
  }
}

/** True if a failure counts as a finding. A change could make a verification fail, so only an unreachable server does not count. */
const isFinding = ({ job, code }: Extract<KeeperEvent, { kind: 'failed' }>): boolean =>
  code === 'LEDGER_TAMPERED' || (job === 'verify' && code !== 'LEDGER_UNAVAILABLE');

const ofJobs = (values: ReadonlyMap<string, number>): readonly MetricSample[] =>
  [...values].map(([task, value]) => [value, { task }]);
