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
      '1 once a verification finds a fault, or fails although the server answers and the folder of checkpoints can be read, or a checkpoint job finds that the ledger was changed. 0 again once a verification finds no fault.',
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
      'Unix time at which the last job of a kind ended without an error: `checkpoint`, `sweep` or `verify`. 0 before the first.',
  },
  every: {
    name: 'paysession_ledger_interval_seconds',
    type: 'gauge',
    labels: ['task'],
    meaning: 'Seconds from the end of a job to its next start.',
  },
  failures: {
    name: 'paysession_ledger_keeper_failures_total',
    type: 'counter',
    labels: ['task'],
    meaning: 'Failed jobs. Each is tried again within 30 seconds.',
  },
  skipped: {
    name: 'paysession_ledger_skipped_rows_total',
    type: 'counter',
    labels: [],
    meaning:
      'Rows that waited for a place in the log but belong to no entry, or to one that has a place, and were deleted. No part of paysession writes such rows.',
  },
  mended: {
    name: 'paysession_ledger_mended_sessions_total',
    type: 'counter',
    labels: [],
    meaning: 'Ended sessions whose missing entries a sweep has recorded.',
  },
  unrecorded: {
    name: 'paysession_ledger_unrecorded_sessions',
    type: 'gauge',
    labels: [],
    meaning:
      'Ended sessions that the last sweep could not record, for instance without their encryption key.',
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

/** Keeps a keeper's metrics up to date from the keeper's events. */
export class KeeperMetrics {
  /** The values of the metrics without labels. */
  readonly #values = {
    faulty: 0,
    entries: 0,
    skipped: 0,
    mended: 0,
    unrecorded: 0,
    late: 0,
    returned: 0,
    unmatched: 0,
  };
  /** The values of the metrics with the label `task`, by job of the keeper. */
  readonly #ofJobs: Readonly<Record<'lastDone' | 'every' | 'failures', Map<string, number>>>;

  /** @param everyMs the intervals of the keeper's jobs, in milliseconds */
  constructor(everyMs: Readonly<Partial<Record<KeeperJob, number>>>) {
    const jobs = Object.entries(everyMs);
    const zeros = jobs.map(([job]) => [job, 0] as const);
    const every = new Map(jobs.map(([job, ms]) => [job, ms / 1_000]));
    this.#ofJobs = { lastDone: new Map(zeros), every, failures: new Map(zeros) };
  }

  count(event: KeeperEvent): void {
    const values = this.#values;
    const { failures } = this.#ofJobs;
    switch (event.kind) {
      case 'checkpointed':
        values.entries = event.size;
        values.skipped += event.skipped;
        this.#endOf('checkpoint');
        break;
      case 'swept':
        values.mended += event.mended;
        values.unrecorded = event.unrecorded;
        break;
      case 'counted':
        values.late = event.late;
        values.returned = event.returned;
        values.unmatched = event.unmatched;
        this.#endOf('sweep');
        break;
      case 'verified':
      case 'faulty':
        values.faulty = event.kind === 'faulty' ? 1 : 0;
        this.#endOf('verify');
        break;
      case 'failed':
        if (isFinding(event)) values.faulty = 1;
        failures.set(event.job, (failures.get(event.job) ?? 0) + 1);
        break;
    }
  }

  /** Returns all metrics in the text format of `/metrics`. */
  text(): string {
    const values = { ...this.#values, ...this.#ofJobs };
    return (Object.keys(KEEPER_METRICS) as (keyof typeof KEEPER_METRICS)[])
      .map((name) => metricText(KEEPER_METRICS[name], samplesOf(values[name])))
      .join('');
  }

  #endOf(job: KeeperJob): void {
    this.#ofJobs.lastDone.set(job, Math.round(Date.now() / 1_000));
  }
}

const NO_FINDING = new Set(['LEDGER_UNAVAILABLE', 'INVALID_FILE']);

/**
 * True if a failed job sets the metric `faulty` to 1. A failed verification counts, because a manipulated ledger could make it fail. It does not
 * count if the server does not answer, or if the folder of checkpoints cannot be used.
 */
const isFinding = ({ job, code }: Extract<KeeperEvent, { kind: 'failed' }>): boolean =>
  code === 'LEDGER_TAMPERED' || (job === 'verify' && !NO_FINDING.has(code));

const samplesOf = (value: number | ReadonlyMap<string, number>): readonly MetricSample[] =>
  typeof value === 'number' ? [[value]] : [...value].map(([task, one]) => [one, { task }]);
