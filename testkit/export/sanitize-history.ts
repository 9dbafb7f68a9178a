import type { Field, Type } from 'protobufjs';
import { HISTORY, historyToJson, type History, type JsonPayload } from '../history-json';
import { sanitizeNote } from './local-activity';
import { openPayload, sanitizePayload, type PayloadTools } from './payloads';
import { harmlessName, plainText } from './plain-texts';

/**
 * A session's history as JSON that may be committed. Whatever is a text, a name or bytes by the engine's schema of a history
 * is replaced by a fake of the same shape, unless it is known to be harmless there: payloads are read and judged field by
 * field, all else by `plainText`. Machine names and stacks are left out, as is what came with a signal, which a session
 * passes over. It replays as the original does. Throws `HISTORY_UNREADABLE` for a payload that cannot be read.
 */
export async function sanitizeHistory(history: History, tools: PayloadTools): Promise<string> {
  return `${JSON.stringify(await message(historyToJson(history), HISTORY as Type, '', tools), null, 1)}\n`;
}

/** A message as JSON; `name` is the field that holds it. */
async function message(value: unknown, type: Type, name: string, tools: PayloadTools): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return wellKnown(value);
  if (type.name === 'Payload') return sanitizePayload(value, name, tools);
  if (isMarker(value, type, 'core_patch')) return walkPatch(value, tools);
  if (isMarker(value, type, 'core_local_activity')) return localActivity(value, type, tools);
  return membersOf(value, type, tools);
}

async function membersOf(value: object, type: Type, tools: PayloadTools): Promise<object> {
  const members = Object.entries(value)
    .filter(([member]) => !isLeftOut(value, type, member))
    .map(async ([member, inner]) => [member, await field(inner, type.fields[member], tools, value)] as const);
  return Object.fromEntries(await Promise.all(members));
}

async function field(
  value: unknown,
  of: Field | undefined,
  tools: PayloadTools,
  holder: object,
): Promise<unknown> {
  if (of === undefined) return undefined;
  if (Array.isArray(value)) return Promise.all(value.map((item) => field(item, of, tools, holder)));
  const { resolvedType } = of.resolve();
  if (of.map) return map(value, resolvedType, tools);
  if (resolvedType !== null && 'fields' in resolvedType) return message(value, resolvedType, of.name, tools);
  if (of.type === 'bytes') return '';
  if (of.type !== 'string' || typeof value !== 'string') return value;
  return plainText(value, { message: of.parent?.name ?? '', field: of.name, holder, fakes: tools.fakes });
}

/** Whoever wrote a map chose its keys: of a memo, of headers, of search attributes. */
async function map(value: unknown, type: Field['resolvedType'], tools: PayloadTools): Promise<unknown> {
  const entries = Object.entries(value ?? {}).map(async ([key, member]: [string, unknown]) => {
    const sanitized =
      type !== null && 'fields' in type
        ? await message(member, type, key, tools)
        : tools.fakes.text(String(member));
    return [harmlessName(key) ? key : tools.fakes.text(key), sanitized] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Times and durations, which JSON holds as texts. */
function wellKnown(value: unknown): unknown {
  const isTime =
    typeof value === 'string' && /^(\d{4}-\d\d-\d\dT[\d:.]{8,18}Z|-?\d{1,12}(\.\d{1,9})?s)$/.test(value);
  return isTime || typeof value !== 'string' ? value : '';
}

/** The session passes over what came with a signal; whoever started it may have described it as they liked. */
function isLeftOut(holder: object, { name }: Type, member: string): boolean {
  if (member === 'input') return name === 'WorkflowExecutionSignaledEventAttributes';
  return member === 'userMetadata' && 'workflowExecutionStartedEventAttributes' in holder;
}

/** True for a marker of the SDK: of a patch, or of an activity that ran within the workflow task. */
function isMarker(value: object, { name }: Type, marker: string): boolean {
  return name === 'MarkerRecordedEventAttributes' && 'markerName' in value && value.markerName === marker;
}

async function walkPatch(value: unknown, tools: PayloadTools): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => walkPatch(item, tools)));
  if (typeof value !== 'object' || value === null) return value;
  if ('metadata' in value) return openPayload(value as JsonPayload, tools);
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await walkPatch(member, tools)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

/** The members of its marker that the SDK writes; what came of it is a payload like that of any activity. */
interface LocalActivity {
  readonly details?: Readonly<
    Record<'data' | 'result', { readonly payloads?: readonly JsonPayload[] } | undefined>
  >;
}

async function localActivity(value: LocalActivity, type: Type, tools: PayloadTools): Promise<object> {
  const { details, ...others } = value;
  const [data = [], result = []] = [details?.data?.payloads, details?.result?.payloads];
  return {
    ...(await membersOf(others, type, tools)),
    details: {
      data: { payloads: await Promise.all(data.map((note) => sanitizeNote(note, tools))) },
      ...(details?.result && {
        result: { payloads: await Promise.all(result.map((one) => sanitizePayload(one, 'payloads', tools))) },
      }),
    },
  };
}
