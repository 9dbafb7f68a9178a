import { rewritePayload, type PayloadTools } from './payloads';
import type { JsonPayload } from '../history-json';
import { plainText } from './plain-texts';

/** Where the history holds the same texts for other activities. */
const TEXTS: Readonly<Record<string, { readonly message: string; readonly field: string }>> = {
  activity_id: { message: 'ActivityTaskScheduledEventAttributes', field: 'activityId' },
  activity_type: { message: 'ActivityType', field: 'name' },
};
const COUNTS_AND_TIMES = ['seq', 'attempt', 'complete_time', 'backoff', 'original_schedule_time'];
const PARTS_OF_TIMES = ['seconds', 'nanos'];
const KNOWN: ReadonlySet<string> = new Set([...Object.keys(TEXTS), ...COUNTS_AND_TIMES, ...PARTS_OF_TIMES]);

/**
 * What the SDK notes of an activity that ran within a workflow task, by which it replays: counts, times, the activity's type and id. What
 * nobody knows is left out. Throws `HISTORY_UNREADABLE`.
 */
export function sanitizeNote(payload: JsonPayload, tools: PayloadTools): Promise<JsonPayload> {
  return rewritePayload(payload, tools, (value) => sanitizeMember('', value, tools));
}

function sanitizeMember(name: string, value: unknown, tools: PayloadTools): unknown {
  if (typeof value === 'string') {
    const place = TEXTS[name];
    return place === undefined ? '' : plainText(value, { ...place, holder: {}, fakes: tools.fakes });
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([member]) => KNOWN.has(member));
  return Object.fromEntries(
    known.map(([member, inner]: [string, unknown]) => [member, sanitizeMember(member, inner, tools)]),
  );
}
