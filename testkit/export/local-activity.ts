import { isRecord } from '../../src/contract/values/is-record';
import type { JsonPayload } from '../history-json';
import { rewritePayload, sanitizePayload, type PayloadTools } from './payloads';
import { isActivityName, isCount } from './plain-texts';

/** The marker of an activity that ran within a workflow task. */
export const LOCAL_ACTIVITY = 'core_local_activity';

/** What such a marker holds, without personal data: the result, and the SDK's own note, which no codec encodes. */
export async function sanitizeLocalActivity(details: unknown, tools: PayloadTools): Promise<object> {
  const [data, result] = await Promise.all([
    Promise.all(payloadsIn(details, 'data').map((payload) => rewritePayload(payload, { codecs: [] }, note))),
    Promise.all(payloadsIn(details, 'result').map((payload) => sanitizePayload(payload, 'result', tools))),
  ]);
  return { data: { payloads: data }, ...(result.length > 0 && { result: { payloads: result } }) };
}

function payloadsIn(details: unknown, name: string): readonly JsonPayload[] {
  const held = isRecord(details) ? details[name] : undefined;
  return isRecord(held) && Array.isArray(held['payloads']) ? (held['payloads'] as JsonPayload[]) : [];
}

/** Counts, times and the activity's name; nobody but the SDK writes it. */
function note(value: unknown): unknown {
  const { seq, attempt, activity_id, activity_type, complete_time, original_schedule_time } = isRecord(value)
    ? value
    : {};
  return {
    seq: number(seq),
    attempt: number(attempt),
    activity_id: isCount(String(activity_id)) ? activity_id : '0',
    activity_type: isActivityName(String(activity_type)) ? activity_type : '',
    complete_time: time(complete_time),
    backoff: null,
    original_schedule_time: time(original_schedule_time),
  };
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

const time = (value: unknown): object | null =>
  isRecord(value) ? { seconds: number(value['seconds']), nanos: number(value['nanos']) } : null;
