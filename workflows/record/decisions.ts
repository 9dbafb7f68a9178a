/**
 * The decisions of people in a record, its parks and its anomalies. Each list is bounded. Pure.
 */
import { isAboutCreate, type Anomaly, type Decision } from '../../src/protocol/state/recorded';
import { toIso, type Observation, type SessionRecord } from './session-record';

/**
 * The most decisions of each kind. A person who refreshes and reveals again and again leaves room for decisions that
 * change the session.
 */
const MAX_ACTS = 50;
const MAX_LOOKS = 50;
/** The most parks: one more than decisions about them, since the last park may still wait for its own. */
const MAX_PARKS = MAX_ACTS + 1;

/** Records a decision, up to the bound. A request that repeats a pending decision adds nothing. */
export function withDecision(
  record: SessionRecord,
  decision: Omit<Decision, 'at'>,
  nowMs: number,
): SessionRecord {
  const { decisions } = record;
  if (decisions.some((known) => isSamePending(known, decision))) return record;
  const looks = isLook(decision);
  const max = looks ? MAX_LOOKS : MAX_ACTS;
  if (decisions.filter((known) => isLook(known) === looks).length < max)
    return { ...record, decisions: [...decisions, { ...decision, at: toIso(nowMs) }] };
  const detail = `only the first ${max} ${looks ? 'refreshes and reveals' : 'decisions'} are kept`;
  return withAnomalyOnce(record, { kind: 'recordFull', detail, nowMs });
}

/**
 * Records a decision about a parked create, with an id. The run and the decision's place distinguish the decision from
 * all others. The update's id distinguishes it from an earlier decision at this place that the Temporal server has lost.
 */
export function withResolution(
  record: SessionRecord,
  { decision, run, updateId }: Extract<Observation, { type: 'createResolved' }>,
  nowMs: number,
): SessionRecord {
  const place = record.decisions.filter(isAboutCreate).length + 1;
  return withDecision(record, { ...decision, id: `${run}-${place}-${checksum(updateId)}` }, nowMs);
}

/** Parks the session because its create's outcome is unknown, and records the reason, up to the bound. */
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
  settled: 'cancel' | 'refresh',
  { result, count = Infinity }: { readonly result: Decision['result']; readonly count?: number },
): SessionRecord {
  const isSettled = (known: Decision, index: number) =>
    index < count && known.decision === settled && known.result === 'pending';
  if (!record.decisions.some(isSettled)) return record;
  return {
    ...record,
    decisions: record.decisions.map((known, index) =>
      isSettled(known, index) ? { ...known, result } : known,
    ),
  };
}

const isLook = ({ decision }: Pick<Decision, 'decision'>): boolean =>
  decision === 'refresh' || decision === 'reveal';

/** True for a repeated request: for instance, its caller was sent away, or the answer came too late. */
const isSamePending = (known: Decision, { decision, result, by, reason }: Omit<Decision, 'at'>): boolean =>
  result === 'pending' &&
  known.result === 'pending' &&
  known.decision === decision &&
  known.by === by &&
  known.reason === reason;

/** Returns a checksum (FNV-1a) of eight hexadecimal digits. The caller chooses an update's id, which may be any text. */
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

/** True if the record takes no more anomalies. */
export const isFull = ({ anomalies }: SessionRecord): boolean => anomalies.length > MAX_ANOMALIES;

/** Records an anomaly, up to the bound. The first one beyond the bound is replaced by one that says so. */
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
