import type { MetricRow } from '../../src/protocol/temporal/session-metrics';
import { KEEPER_JOBS, type KeeperEvent } from './keep-ledger';

/** What the keeper of a ledger shows of it. */
export const KEEPER_METRICS = {
  faulty: {
    name: 'paysession_ledger_faulty',
    type: 'gauge',
    labels: [],
    meaning:
      '1 from the moment in which the ledger was found to differ from its hashes or checkpoints until a verification finds none of that, else 0.',
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
    labels: ['job'],
    meaning:
      'When a `checkpoint`, a `sweep` or a verification (`verify`) came to its end last, without an error; 0 before the first. In Unix time.',
  },
  failures: {
    name: 'paysession_ledger_job_failures_total',
    type: 'counter',
    labels: ['job'],
    meaning: 'Jobs that did not come to their end; each is tried again within 30 seconds.',
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
} as const satisfies Record<string, MetricRow>;

/** Counts what a keeper tells, in Prometheus' form. */
export class KeeperMetrics {
  #faulty = 0;
  #entries = 0;
  #mended = 0;
  #unreadable = 0;
  readonly #done = new Map<string, number>(KEEPER_JOBS.map((job) => [job, 0]));
  readonly #failures = new Map<string, number>(KEEPER_JOBS.map((job) => [job, 0]));

  count(event: KeeperEvent): void {
    switch (event.kind) {
      case 'checkpointed':
        this.#entries = event.size;
        this.#done.set('checkpoint', nowInSeconds());
        break;
      case 'swept':
        this.#mended += event.mended;
        this.#unreadable = event.unreadable;
        this.#done.set('sweep', nowInSeconds());
        break;
      case 'verified':
        this.#faulty = 0;
        this.#done.set('verify', nowInSeconds());
        break;
      case 'faulty':
        this.#faulty = 1;
        this.#done.set('verify', nowInSeconds());
        break;
      case 'failed':
        if (event.code === 'LEDGER_TAMPERED') this.#faulty = 1;
        this.#failures.set(event.job, (this.#failures.get(event.job) ?? 0) + 1);
        break;
    }
  }

  /** All of them, as `/metrics` answers. */
  text(): string {
    const { faulty, entries, lastDone, failures, mended, unreadable } = KEEPER_METRICS;
    return [
      ...sample(faulty, this.#faulty),
      ...sample(entries, this.#entries),
      ...samples(lastDone, this.#done),
      ...samples(failures, this.#failures),
      ...sample(mended, this.#mended),
      ...sample(unreadable, this.#unreadable),
      '',
    ].join('\n');
  }
}

const nowInSeconds = (): number => Math.round(Date.now() / 1_000);

const head = ({ name, type, meaning }: MetricRow): readonly string[] => [
  `# HELP ${name} ${meaning}`,
  `# TYPE ${name} ${type}`,
];

const sample = (row: MetricRow, value: number): readonly string[] => [...head(row), `${row.name} ${value}`];

const samples = (row: MetricRow, ofJobs: ReadonlyMap<string, number>): readonly string[] => [
  ...head(row),
  ...[...ofJobs].map(([job, value]) => `${row.name}{job="${job}"} ${value}`),
];
