import type { MetricMeter } from '@temporalio/common';
import { metricMeter } from '@temporalio/workflow';
import { isSessionCode, isSessionStatus, type SessionKind } from '../../src/contract/statuses';
import type { ErrorCode } from '../../src/errors/codes';
import { OTHER, SESSION_METRICS } from '../../src/protocol/temporal/telemetry';
import { cancelPending, type SessionRecord } from '../record/session-record';
import type { CreateOutcome } from '../../src/protocol/activities';

type Metric = keyof typeof SESSION_METRICS;
type Meter = Pick<MetricMeter, 'createCounter' | 'createHistogram'>;
type Labels = Readonly<Record<string, string>>;

/** The facts about a session that its metrics need. */
export interface CountedSession {
  readonly kind: SessionKind;
  /**
   * The account that the input names. It becomes a label only after a worker that has this account has attempted the
   * create. Until then, the label is `OTHER`, because callers can name any number of accounts.
   */
  readonly account: string;
  /** True if an earlier run has counted the session's start. */
  readonly isStartCounted: boolean;
}

/**
 * Counts the events of a session. A replay counts nothing twice, because the SDK's meter ignores calls during a
 * replay.
 */
export class SessionMetrics {
  #account: string = OTHER;
  #hasStarted: boolean;
  #isAnswered = false;
  readonly #session: CountedSession;
  readonly #meter: Meter;

  constructor(session: CountedSession, meter: Meter = metricMeter) {
    this.#session = session;
    this.#meter = meter;
    this.#hasStarted = session.isStartCounted;
    if (session.isStartCounted) this.#account = session.account;
  }

  /** True if the session's start has been counted. */
  get isStartCounted(): boolean {
    return this.#hasStarted;
  }

  /** Records whether the worker of the last create has the account. */
  sawAccount(hasAccount: boolean): void {
    this.#account = hasAccount ? this.#session.account : OTHER;
  }

  /** Counts the session's start, once. */
  started(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#count('started', { kind: this.#session.kind });
  }

  /** Counts a start that the ledger has answered, because the key's session has already ended or failed. */
  answered(): void {
    this.sawAccount(true);
    this.#isAnswered = true;
    this.#count('answered', { kind: this.#session.kind });
  }

  /** Counts a create call by its outcome. */
  createEnded(outcome: CreateOutcome['outcome']): void {
    this.#count('creates', { outcome });
  }

  /** Counts the events between two records of the session. */
  changed(before: SessionRecord, after: SessionRecord, nowMs: number): void {
    this.#cancel(before, after);
    // If the ledger has answered, the earlier workflow has already counted the session's events.
    if (after.answeredByLedger === true) return;
    if (after.parked && !before.parked) this.#count('parked');
    if (after.possibleOrphans > before.possibleOrphans) this.#count('possibleOrphans');
    if (after.unverified && !before.unverified) this.#count('unverifiedEnds');
    for (const { kind: anomaly } of after.anomalies.slice(before.anomalies.length)) {
      this.#count('anomalies', { anomaly });
    }
    // If a person has named the session after a lost create, the time of its opening is unknown.
    if (before.sessionId === undefined && after.sessionId !== undefined && !before.parked)
      this.#opened(Math.max(0, nowMs - after.deadlineFromMs));
    if (after.ended && !before.ended) this.#ended(labelsOf(after));
  }

  /** Counts the failure of the session's workflow. */
  failed(code: ErrorCode): void {
    this.#ended({ status: 'error', code });
  }

  #cancel(before: SessionRecord, after: SessionRecord): void {
    const { by, outcome } = after.cancel ?? {};
    if (by !== undefined && cancelPending(after) && !cancelPending(before))
      this.#count('cancelsRequested', { by });
    if (outcome !== undefined && cancelPending(before)) this.#count('cancelsSettled', { outcome });
  }

  #ended(labels: Labels): void {
    if (this.#isAnswered) return;
    this.started();
    this.#count('ended', { kind: this.#session.kind, ...labels });
  }

  #count(metric: Metric, labels: Labels = {}): void {
    const { name, meaning } = SESSION_METRICS[metric];
    this.#meter.createCounter(name, '', meaning).add(1, { account: this.#account, ...labels });
  }

  #opened(afterMs: number): void {
    const { name, meaning } = SESSION_METRICS.timeToOpen;
    const histogram = this.#meter.createHistogram(name, 'float', '', meaning);
    histogram.record(afterMs / 1_000, { account: this.#account, kind: this.#session.kind });
  }
}

/**
 * Returns the labels of an end. An unknown status or code becomes `OTHER`, because the service may report any text.
 */
function labelsOf({ status = OTHER, code }: SessionRecord): Labels {
  return {
    status: isSessionStatus(status) ? status : OTHER,
    code: code === undefined ? 'none' : isSessionCode(code) ? code : OTHER,
  };
}
