import type { Anomaly } from '../../src/protocol/state/recorded';
import { toIso, type SessionRecord } from './session-record';

const MAX_ANOMALIES = 50;

/** Something that the contract does not foresee, at `nowMs`. */
interface Finding {
  readonly kind: Anomaly['kind'];
  readonly detail: string;
  readonly nowMs: number;
}

/** Whether no more anomalies are recorded. */
export const isFull = ({ anomalies }: SessionRecord): boolean => anomalies.length > MAX_ANOMALIES;

/** Records an anomaly, up to the bound; the last one recorded says that the bound is reached. */
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
