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

/** The attributes under which a session is counted. */
export interface CountedSession {
  readonly kind: SessionKind;
  /** As the input names it: no label until the worker is known to have it, since anybody may name any number of accounts. */
  readonly account: string;
  /** An earlier run has counted its start. */
  readonly isContinued: boolean;
}

/** Counts the events of a session, each one once: the SDK's meter is silent while a workflow is replayed. */
export class SessionMetrics {
  #account: string = OTHER;
  #hasStarted: boolean;
  #isAnswered = false;
  readonly #session: CountedSession;
  readonly #meter: Meter;

  constructor(session: CountedSession, meter: Meter = metricMeter) {
    this.#session = session;
    this.#meter = meter;
    this.#hasStarted = session.isContinued;
    if (session.isContinued) this.#account = session.account;
  }

  /** A step has shown whether the worker has the account. */
  sawAccount(hasAccount: boolean): void {
    this.#account = hasAccount ? this.#session.account : OTHER;
  }

  /** The session's first step has begun it. */
  started(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#count('started', { kind: this.#session.kind });
  }

  /** The ledger has answered the session's first step: the key's session had ended before. */
  answered(): void {
    this.sawAccount(true);
    this.#isAnswered = true;
    this.#count('answered', { kind: this.#session.kind });
  }

  /** A create call ended. */
  createEnded(outcome: CreateOutcome['outcome']): void {
    this.#count('creates', { outcome });
  }

  /** Counts the differences between two records of the session. */
  changed(before: SessionRecord, after: SessionRecord, nowMs: number): void {
    const { kind } = this.#session;
    // Its anomalies, its opening and its end were counted when they happened.
    if (after.answeredByLedger === true) {
      this.#cancel(before, after);
      return;
    }
    if (after.parked && !before.parked) this.#count('parked');
    if (after.possibleOrphans > before.possibleOrphans) this.#count('possibleOrphans');
    if (after.unverified && !before.unverified) this.#count('unverifiedEnds');
    for (const { kind: anomaly } of after.anomalies.slice(before.anomalies.length)) {
      this.#count('anomalies', { anomaly });
    }
    // A lost create opened a session that a person named, so the time of its opening is unknown.
    if (before.sessionId === undefined && after.sessionId !== undefined && !before.parked) {
      this.#record('timeToOpen', Math.max(0, nowMs - after.deadlineFromMs) / 1_000, { kind });
    }
    this.#cancel(before, after);
    if (after.ended && !before.ended) this.#ended(labelsOf(after));
  }

  /** The session's workflow fails. */
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

  #record(metric: Metric, value: number, labels: Labels): void {
    const { name, meaning } = SESSION_METRICS[metric];
    const histogram = this.#meter.createHistogram(name, 'float', '', meaning);
    histogram.record(value, { account: this.#account, ...labels });
  }
}

/** The service may report any text. */
function labelsOf({ status = OTHER, code }: SessionRecord): Labels {
  return {
    status: isSessionStatus(status) ? status : OTHER,
    code: code === undefined ? 'none' : isSessionCode(code) ? code : OTHER,
  };
}
