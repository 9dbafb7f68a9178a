import type { MetricMeter } from '@temporalio/common';
import { SESSION_KINDS } from '../../src/contract/kinds';
import type { ErrorCode } from '../../src/errors';
import { WORKFLOW_TYPE } from '../../src/protocol/names';
import type { Anomaly, CancelOutcome } from '../../src/protocol/state/recorded';
import type { CreateOutcome } from '../../src/protocol/activities/service-calls';
import { SESSION_METRICS } from '../../src/protocol/temporal/session-metrics';
import type { CallKind } from '../../src/service';
import { instrumentsOf, type Instruments } from './instruments';
import { WORKER_METRICS } from './metrics-table';

/** Every value of a type, as the type checker sees to it. */
const valuesOf = <V extends string>(values: Readonly<Record<V, true>>) => Object.keys(values) as V[];

const CALLS = valuesOf<CallKind>({ create: true, poll: true, refresh: true, cancel: true });

/** What pauses an account's calls. */
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
 * Shows what has not happened yet as 0: a counter that appears with its first event has no increase, and no alert would tell of
 * the first parked session.
 */
export function showZeros(meter: MetricMeter, accounts: readonly string[]): void {
  const own = instrumentsOf(meter);
  const ofWorkflows = instrumentsOf(meter.withTags({ workflowType: WORKFLOW_TYPE }));
  own.add(WORKER_METRICS.undecryptable, 0);
  for (const account of accounts) {
    showAccount(own, account);
    showSessions(ofWorkflows, account);
  }
}

function showAccount({ add, set }: Instruments, account: string): void {
  add(WORKER_METRICS.tokens, 0, { account });
  for (const call of CALLS) add(WORKER_METRICS.turnedAway, 0, { account, call });
  for (const cause of PAUSES) add(WORKER_METRICS.pauses, 0, { account, cause });
  set(WORKER_METRICS.paused, 0, { account });
}

function showSessions({ add }: Instruments, account: string): void {
  const {
    parked,
    possibleOrphans,
    unverifiedEnds,
    creates,
    anomalies,
    cancelsRequested,
    cancelsSettled,
    started,
    answered,
  } = SESSION_METRICS;
  for (const counter of [parked, possibleOrphans, unverifiedEnds]) add(counter, 0, { account });
  for (const outcome of OUTCOMES) add(creates, 0, { account, outcome });
  for (const anomaly of ANOMALIES) add(anomalies, 0, { account, anomaly });
  for (const by of ['caller', 'deadline']) add(cancelsRequested, 0, { account, by });
  for (const outcome of CANCELS) add(cancelsSettled, 0, { account, outcome });
  for (const kind of SESSION_KINDS) {
    add(started, 0, { account, kind });
    add(answered, 0, { account, kind });
  }
}
