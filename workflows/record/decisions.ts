/**
 * Adds decisions, parks and anomalies to a session's record. Each list has a maximum length. Pure.
 */
import { isAboutCreate, type Anomaly, type Decision } from '../../src/protocol/state/recorded';
import { toIso, type Observation, type SessionRecord } from './session-record';

/**
 * The maximum numbers of recorded decisions. Refreshes and reveals are counted apart, so that many of them leave room for
 * decisions that change the session.
 */
const MAX_REFRESHES_AND_REVEALS = 50;
const MAX_OTHER_DECISIONS = 50;
/** The maximum number of parks: one more than the decisions about them, because the last park may still wait for a decision. */
const MAX_PARKS = MAX_OTHER_DECISIONS + 1;

/**
 * Records a decision, unless it repeats a pending one. If the maximum number is reached, records one anomaly,
 * `recordFull`, instead.
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
 * Records a decision about a parked create, with an id. The id contains the run, and the decision's number among the
 * decisions about creates. It also contains a checksum of the update's id, because the Temporal server may have lost
 * another decision with the same number.
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

/** Sets the result of the pending cancels or refreshes among the first `count` decisions. */
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

/** True if a request repeats a pending decision, for instance because its caller was sent away and has asked again. */
const isSamePending = (known: Decision, { decision, result, by, reason }: Omit<Decision, 'at'>): boolean =>
  result === 'pending' &&
  known.result === 'pending' &&
  known.decision === decision &&
  known.by === by &&
  known.reason === reason;

/** Returns the FNV-1a checksum of a text, in eight hexadecimal digits. An update's id may be any text, as its caller chooses. */
function checksum(text: string): string {
  const sum = Array.from(text).reduce(
    (before, character) => Math.imul(before ^ (character.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return (sum >>> 0).toString(16).padStart(8, '0');
}

const MAX_ANOMALIES = 50;

/** An anomaly to record, found at `nowMs`. */
interface Finding {
  readonly kind: Anomaly['kind'];
  readonly detail: string;
  readonly nowMs: number;
}

/** True if no more anomalies are recorded. */
export const isFull = ({ anomalies }: SessionRecord): boolean => anomalies.length > MAX_ANOMALIES;

/** Records an anomaly while there is room. The last entry of a full list is the anomaly `recordFull`. */
export function withAnomaly(record: SessionRecord, { kind, detail, nowMs }: Finding): SessionRecord {
  if (isFull(record)) return record;
  const isLast = record.anomalies.length === MAX_ANOMALIES;
  const anomaly: Anomaly = isLast
    ? { kind: 'recordFull', detail: `only the first ${MAX_ANOMALIES} anomalies are kept`, at: toIso(nowMs) }
    : { kind, detail, at: toIso(nowMs) };
  return { ...record, anomalies: [...record.anomalies, anomaly] };
}

/** Records an anomaly unless the same one is recorded already. */
export function withAnomalyOnce(record: SessionRecord, finding: Finding): SessionRecord {
  const isRecorded = record.anomalies.some(
    ({ kind, detail }) => kind === finding.kind && detail === finding.detail,
  );
  return isRecorded ? record : withAnomaly(record, finding);
}
