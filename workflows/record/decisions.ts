/**
 * Adds decisions, parks and anomalies to a session's record. A park is a wait for a person's decision about a create request.
 * Each list has a maximum length. Pure.
 */
import { isAboutCreate, type Anomaly, type Decision } from '../../src/protocol/state/recorded';
import { toIso, type Observation, type SessionRecord } from './session-record';

/**
 * The maximum numbers of recorded decisions. Refreshes and reveals are counted separately, so that they cannot use up the room
 * for decisions that change the session. A reveal is a view of personal data.
 */
const MAX_REFRESHES_AND_REVEALS = 50;
const MAX_OTHER_DECISIONS = 50;
/** The maximum number of recorded parks. Each park but the last has a decision. */
const MAX_PARKS = MAX_OTHER_DECISIONS + 1;

/**
 * Records a decision. Ignores a decision that repeats a pending decision. If the maximum number is reached, records the anomaly
 * `recordFull` once instead.
 */
export function withDecision(
  record: SessionRecord,
  decision: Omit<Decision, 'at'>,
  nowMs: number,
): SessionRecord {
  const { decisions } = record;
  if (decisions.some((known) => isSamePending(known, decision))) return record;
  const isCountedApart = isRefreshOrReveal(decision);
  const max = isCountedApart ? MAX_REFRESHES_AND_REVEALS : MAX_OTHER_DECISIONS;
  if (decisions.filter((known) => isRefreshOrReveal(known) === isCountedApart).length < max)
    return { ...record, decisions: [...decisions, { ...decision, at: toIso(nowMs) }] };
  const counted = isCountedApart ? 'refreshes and reveals' : 'cancel/adopt/retry/abandon decisions';
  const detail = `only the first ${max} ${counted} are kept`;
  return withAnomalyOnce(record, { kind: 'recordFull', detail, nowMs });
}

/**
 * Records a decision about a parked create, with an id. The id contains the run's seed and the decision's number among the
 * decisions about creates. It also contains a checksum of the update's id, because the Temporal server may have lost an earlier
 * decision that had the same number.
 */
export function withResolution(
  record: SessionRecord,
  { decision, run, updateId }: Extract<Observation, { type: 'createResolved' }>,
  nowMs: number,
): SessionRecord {
  const number = record.decisions.filter(isAboutCreate).length + 1;
  return withDecision(record, { ...decision, id: `${run}-${number}-${checksum(updateId)}` }, nowMs);
}

/** Parks the session because the outcome of its create is unknown. Records the reason, unless `parks` is full. */
export function withPark(
  record: SessionRecord,
  { run, sessionId }: Omit<Extract<Observation, { type: 'createParked' }>, 'type'>,
  nowMs: number,
): SessionRecord {
  const { trouble, parks = [] } = record;
  const parked = { ...record, parked: true };
  if (trouble === undefined || parks.length >= MAX_PARKS) return parked;
  const park = {
    at: toIso(nowMs),
    code: trouble.code,
    id: `${run}-${parks.length + 1}`,
    ...(sessionId !== undefined && { sessionId }),
  };
  return { ...parked, parks: [...parks, park] };
}

/** Sets the result of pending cancels or refreshes, among the first `count` decisions. */
export function settleDecisions(
  record: SessionRecord,
  kind: 'cancel' | 'refresh',
  { result, count = Infinity }: { readonly result: Decision['result']; readonly count?: number },
): SessionRecord {
  const isToSettle = (known: Decision, index: number) =>
    index < count && known.decision === kind && known.result === 'pending';
  if (!record.decisions.some(isToSettle)) return record;
  return {
    ...record,
    decisions: record.decisions.map((known, index) =>
      isToSettle(known, index) ? { ...known, result } : known,
    ),
  };
}

const isRefreshOrReveal = ({ decision }: Pick<Decision, 'decision'>): boolean =>
  decision === 'refresh' || decision === 'reveal';

/** True if a request repeats a pending decision. For instance, its caller got the error `SESSION_BUSY` and has asked again. */
const isSamePending = (known: Decision, { decision, result, by, reason }: Omit<Decision, 'at'>): boolean =>
  result === 'pending' &&
  known.result === 'pending' &&
  known.decision === decision &&
  known.by === by &&
  known.reason === reason;

/** Returns the FNV-1a checksum of a text, in eight hexadecimal digits. */
function checksum(text: string): string {
  const sum = Array.from(text).reduce(
    (before, character) => Math.imul(before ^ (character.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return (sum >>> 0).toString(16).padStart(8, '0');
}

const MAX_ANOMALIES = 50;

/** An anomaly to record, with its time. */
interface Finding {
  readonly kind: Anomaly['kind'];
  readonly detail: string;
  readonly nowMs: number;
}

/** True if the list of anomalies is full. */
export const isFull = ({ anomalies }: SessionRecord): boolean => anomalies.length > MAX_ANOMALIES;

/** Records an anomaly, if the list is not full. The last entry of a full list is the anomaly `recordFull`. */
export function withAnomaly(record: SessionRecord, { kind, detail, nowMs }: Finding): SessionRecord {
  if (isFull(record)) return record;
  const isLast = record.anomalies.length === MAX_ANOMALIES;
  const anomaly: Anomaly = isLast
    ? { kind: 'recordFull', detail: `only the first ${MAX_ANOMALIES} anomalies are kept`, at: toIso(nowMs) }
    : { kind, detail, at: toIso(nowMs) };
  return { ...record, anomalies: [...record.anomalies, anomaly] };
}

/** Records an anomaly, unless an equal anomaly is already recorded. */
export function withAnomalyOnce(record: SessionRecord, finding: Finding): SessionRecord {
  const isRecorded = record.anomalies.some(
    ({ kind, detail }) => kind === finding.kind && detail === finding.detail,
  );
  return isRecorded ? record : withAnomaly(record, finding);
}
