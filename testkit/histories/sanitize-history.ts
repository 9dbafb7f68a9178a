import type { PaymentActivities } from '../../src/protocol/activities';
import { isErrorCode, isPaysessionError, PaysessionError } from '../../src/errors';
import type { PayloadCodec } from '@temporalio/common';
import { decidedByFailures } from '../../src/protocol/decisions';
import {
  DEFAULT_TASK_QUEUE,
  isShared,
  MESSAGES,
  WORKFLOW_ID_PREFIX,
  WORKFLOW_TYPE,
} from '../../src/protocol/names';
import {
  claimedMetadata,
  metadataOfWords,
  metadataWords,
  searchablePart,
  type Metadata,
} from '../../src/protocol/metadata';
import { FINGERPRINT } from '../../src/sessions';
import type { Field, Type } from 'protobufjs';
import { HISTORY, historyToJson, type History, type JsonPayload, payloadFromJson } from './history-json';
import { isOwnText, isAllowedName, isAllowedText, keepsNumbers, NAMES_OF_METADATA } from './allowed';
import type { Fakes } from './fakes';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

export interface PayloadTools {
  readonly fakes: Fakes;
  /** The worker's payload codecs, with which the payloads were encoded. */
  readonly codecs: readonly PayloadCodec[];
  /** True to throw if a codec refuses a payload because it is plain text. If false, such a payload is read as it is. @default false */
  readonly isStrict?: boolean;
}

const ACTIVITIES: Readonly<Record<keyof PaymentActivities, true>> = {
  authenticate: true,
  createSession: true,
  lookUpCreate: true,
  pollSession: true,
  followSession: true,
  cancelSession: true,
  claimSession: true,
  findSession: true,
  readSession: true,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Matches the SDK's counts and the revisions of a session's state. A longer number could be personal data. */
const COUNT = /^\d{1,5}$/;

const oneOf = (values: readonly string[]) => (text: string) => values.includes(text);

/** Functions that recognize texts without personal data, by protobuf message and field. Some of these texts affect a replay. */
const ALLOWED: Readonly<Record<string, (text: string) => boolean>> = {
  'WorkflowType.name': oneOf([WORKFLOW_TYPE]),
  'ActivityType.name': (text) => Object.hasOwn(ACTIVITIES, text),
  'TaskQueue.name': oneOf([DEFAULT_TASK_QUEUE]),
  'TaskQueue.normalName': oneOf([DEFAULT_TASK_QUEUE]),
  'WorkflowExecutionSignaledEventAttributes.signalName': oneOf([MESSAGES.cancel]),
  'Input.name': oneOf(Object.values(MESSAGES)),
  'Failure.message': isOwnText,
  'Failure.source': oneOf(['TypeScriptSDK']),
  'ApplicationFailureInfo.type': isErrorCode,
  'WorkflowTaskCompletedMetadata.sdkName': (text) => /^temporal-[a-z]{1,20}$/.test(text),
  'WorkflowTaskCompletedMetadata.sdkVersion': (text) => /^\d{1,4}(\.\d{1,4}){2}$/.test(text),
  // Some replays depend on these names, which come from the SDK.
  'MarkerRecordedEventAttributes.markerName': oneOf(['core_patch', 'core_local_activity']),
};

const MAP_KEYS: ReadonlySet<string> = new Set([...Object.values(SEARCH_ATTRIBUTES), FINGERPRINT]);

/**
 * Returns a session's history as JSON without personal data, which may be committed to a repository. The result replays as the original does.
 *
 * A text or name is kept only if it is known to be harmless at its place. All others are replaced by fakes. Payloads are decoded, and
 * sanitized field by field. Texts outside of payloads are sanitized by `plainText`. Byte sequences, machine names, stacks, and inputs of signals
 * that the session does not read are left out. Throws `HISTORY_UNREADABLE` if a payload cannot be read.
 */
export async function sanitizeHistory(history: History, tools: PayloadTools): Promise<string> {
  return `${JSON.stringify(await message(historyToJson(history), HISTORY as Type, '', tools), null, 1)}\n`;
}

/** Sanitizes the JSON of a protobuf message. `name` is the field that contains the message. */
async function message(value: unknown, type: Type, name: string, tools: PayloadTools): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return wellKnown(value);
  if (type.name === 'Payload') return sanitizePayload(value, name, tools);
  if (isMarker(value, type, 'core_patch')) return walkPatch(value, tools);
  if (isMarker(value, type, 'core_local_activity')) return localActivity(value, type, tools);
  if (type.name === 'WorkflowExecutionSignaledEventAttributes') return signal(value, type, tools);
  return membersOf(value, type, tools);
}

async function membersOf(value: object, type: Type, tools: PayloadTools): Promise<object> {
  const members = Object.entries(value)
    .filter(([member]) => !isLeftOut(value, member))
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

/** Sanitizes a memo, headers or search attributes. Unknown keys are replaced, too, because a caller may choose them. */
async function map(value: unknown, type: Field['resolvedType'], tools: PayloadTools): Promise<unknown> {
  const entries = Object.entries(value ?? {}).map(async ([key, member]: [string, unknown]) => {
    const sanitized =
      type !== null && 'fields' in type
        ? await message(member, type, key, tools)
        : tools.fakes.text(String(member));
    return [MAP_KEYS.has(key) ? key : tools.fakes.text(key), sanitized] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Sanitizes a value that is not an object. Returns '' for texts, except for times and durations, which are texts in JSON. Returns all other
 * values unchanged.
 */
function wellKnown(value: unknown): unknown {
  const isTime =
    typeof value === 'string' && /^(\d{4}-\d\d-\d\dT[\d:.]{8,18}Z|-?\d{1,12}(\.\d{1,9})?s)$/.test(value);
  return isTime || typeof value !== 'string' ? value : '';
}

/** True if the member is `userMetadata` of a workflow start: a free text with which a caller may describe the session. */
function isLeftOut(holder: object, member: string): boolean {
  return member === 'userMetadata' && 'workflowExecutionStartedEventAttributes' in holder;
}

interface Signal {
  readonly signalName?: string;
  readonly input?: { readonly payloads?: readonly JsonPayload[] };
}

/** Sanitizes a signal. Keeps the first argument of a `cancel` signal if it can be read. The session reads no other input of signals. */
async function signal({ input, ...others }: Signal, type: Type, tools: PayloadTools): Promise<object> {
  const argument = others.signalName === MESSAGES.cancel ? input?.payloads?.[0] : undefined;
  const strict = { ...tools, isStrict: true };
  const kept = argument && (await sanitizePayload(argument, 'payloads', strict).catch(() => undefined));
  return { ...(await membersOf(others, type, tools)), ...(kept && { input: { payloads: [kept] } }) };
}

/**
 * True if the value is a marker event with this name. The SDK writes marker events for patches, and for local activities, which run within a
 * workflow task.
 */
function isMarker(value: object, { name }: Type, marker: string): boolean {
  return name === 'MarkerRecordedEventAttributes' && 'markerName' in value && value.markerName === marker;
}

async function walkPatch(value: unknown, tools: PayloadTools): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => walkPatch(item, tools)));
  if (typeof value !== 'object' || value === null) return value;
  // A patch marker contains only the name of a patch in this package's code. So its payloads are kept.
  if ('metadata' in value) return rewritePayload(value as JsonPayload, tools, (own) => own);
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await walkPatch(member, tools)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

/** The SDK's marker of a local activity. `data` has the SDK's own note about the activity. `result` has the activity's result. */
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

/** For texts in the note of a local activity: the message and field where a normal activity has the same text. */
const NOTE_TEXTS: Readonly<Record<string, { readonly message: string; readonly field: string }>> = {
  activity_id: { message: 'ActivityTaskScheduledEventAttributes', field: 'activityId' },
  activity_type: { message: 'ActivityType', field: 'name' },
};
const COUNTS_AND_TIMES = ['seq', 'attempt', 'complete_time', 'backoff', 'original_schedule_time'];
const PARTS_OF_TIMES = ['seconds', 'nanos'];
const NOTED: ReadonlySet<string> = new Set([
  ...Object.keys(NOTE_TEXTS),
  ...COUNTS_AND_TIMES,
  ...PARTS_OF_TIMES,
]);

/**
 * Sanitizes the SDK's note about a local activity. Keeps the parts that a replay needs: counts, times, and the activity's type and id. Throws
 * `HISTORY_UNREADABLE` if the note cannot be read.
 */
function sanitizeNote(payload: JsonPayload, tools: PayloadTools): Promise<JsonPayload> {
  return rewritePayload(payload, tools, (value) => sanitizeNoted('', value, tools));
}

function sanitizeNoted(name: string, value: unknown, tools: PayloadTools): unknown {
  if (typeof value === 'string') {
    const place = NOTE_TEXTS[name];
    return place === undefined ? '' : plainText(value, { ...place, holder: {}, fakes: tools.fakes });
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).filter(([member]) => NOTED.has(member));
  return Object.fromEntries(
    known.map(([member, inner]: [string, unknown]) => [member, sanitizeNoted(member, inner, tools)]),
  );
}

/** The place of a text outside of payloads. Temporal stores such texts unencrypted. */
interface PlainPlace {
  /** The name of the message that has the field. */
  readonly message: string;
  readonly field: string;
  /** The message itself, as JSON. */
  readonly holder: object;
  readonly fakes: Fakes;
}

/** Returns the text if it is allowed at its place. Otherwise returns a fake. */
function plainText(text: string, place: PlainPlace): string {
  const { message, field, holder, fakes } = place;
  if (text === '' || ALLOWED[`${message}.${field}`]?.(text) === true) return text;
  switch (field) {
    case 'workflowId':
      return text.startsWith(WORKFLOW_ID_PREFIX)
        ? `${WORKFLOW_ID_PREFIX}${fakes.text(text.slice(WORKFLOW_ID_PREFIX.length))}`
        : fakes.text(text);
    case 'identity':
    case 'originalRequestIdentity':
      return 'paysession';
    case 'stackTrace':
      return '';
    case 'activityId':
    case 'timerId':
      return COUNT.test(text) ? text : fakes.id(text);
    case 'updateId':
    case 'protocolInstanceId':
    case 'requestId':
      return updateId(text, fakes);
    case 'acceptedRequestMessageId':
    case 'rejectedRequestMessageId':
      return `${updateId(text.replace(/\/request$/, ''), fakes)}/request`;
    case 'name':
      if ('kind' in holder && holder.kind === 'TASK_QUEUE_KIND_STICKY') return 'sticky';
      return fakes.text(text);
    default:
      // Run ids are kept. The Temporal server chooses them, and a replay derives its random numbers from them.
      return /runId$/i.test(field) && UUID.test(text) ? text : fakes.text(text);
  }
}

/** Returns a fake for the id of an update. Callers may share an update. The session recognizes it by the beginning of its id, which is kept. */
function updateId(text: string, fakes: Fakes): string {
  return isShared(text) ? `${text.replace(/\/.*/s, '')}/${fakes.id(text)}` : fakes.id(text);
}

/** The types of search attributes, which the SDK writes next to their values. */
const VALUE_TYPE = /^(Keyword|KeywordList|Text|Int|Double|Bool|Datetime)$/;

/** Returns a payload without personal data, as plain JSON. Throws `HISTORY_UNREADABLE` if the payload cannot be read. */
async function sanitizePayload(
  payload: JsonPayload,
  field: string,
  tools: PayloadTools,
): Promise<JsonPayload> {
  return rewritePayload(payload, tools, (value) =>
    typeof value === 'number' && field === 'payloads' ? count(value) : sanitize(value, field, tools.fakes),
  );
}

/** Sanitizes the revision that is the argument of `awaitChange`. The fake is larger than any session's revision. */
const count = (value: number): number => (COUNT.test(String(value)) ? value : 99_999);

/** Decodes a payload, changes its value, and returns it as plain JSON. Throws `HISTORY_UNREADABLE` if it cannot be read. */
async function rewritePayload(
  payload: JsonPayload,
  tools: PayloadTools,
  change: (value: unknown) => unknown,
): Promise<JsonPayload> {
  const { metadata, data } = await decode(payload, tools);
  const encoding = textOf(metadata?.['encoding']);
  if (encoding === 'binary/null') return { metadata: { encoding: toBase64(encoding) } };
  if (encoding !== 'json/plain') throw unreadable(`its encoding is "${encoding.slice(0, 100)}"`);
  const value = change(parse(textOf(data)));
  const type = textOf(metadata?.['type']);
  return {
    metadata: { encoding: toBase64(encoding), ...(VALUE_TYPE.test(type) && { type: toBase64(type) }) },
    data: toBase64(JSON.stringify(value)),
  };
}

/** Replaces, in a value, all names, texts and numbers that are not allowed at their place. */
export function sanitize(value: unknown, field: string, fakes: Fakes): unknown {
  switch (typeof value) {
    case 'string':
      if (isAllowedText(value, field)) return value;
      if (NAMES_OF_METADATA.has(field)) return sanitizeName(value, fakes);
      if (field === 'by' || field === 'reason') return sanitizeDecider(value, field, fakes);
      if (field === 'answered') return updateId(value, fakes);
      return field === SEARCH_ATTRIBUTES.shortId ? fakes.beginningOfId(value) : fakes.text(value);
    case 'number':
      return keepsNumbers(field) ? value : 0;
    case 'object': {
      if (value === null) return value;
      if (Array.isArray(value)) {
        if (field === SEARCH_ATTRIBUTES.metadata) return sanitizeMetadata(value, fakes);
        return value.map((item) => sanitize(item, field, fakes));
      }
      const members = Object.entries(value).map(([name, member]) => [
        sanitizeName(name, fakes),
        sanitize(member, name, fakes),
      ]);
      return Object.fromEntries(members) as object;
    }
    default:
      return value;
  }
}

/** Sanitizes the name or the reason of who decided. Different texts get different fakes, because the session compares them. */
const sanitizeDecider = (value: string, field: 'by' | 'reason', fakes: Fakes): string =>
  decidedByFailures({ [field]: value }).length === 0 ? fakes.id(value) : '';

const sanitizeName = (name: string, fakes: Fakes): string => (isAllowedName(name) ? name : fakes.text(name));

/**
 * Sanitizes the search attribute for metadata, a list of texts. A replay computes the list again from the sanitized input of the workflow, and
 * compares it with this list. So the names and values get the same fakes as in the input, and are sorted by the fake names.
 */
function sanitizeMetadata(words: readonly unknown[], fakes: Fakes): readonly string[] {
  const metadata = sanitize(metadataOfWords(words.map(String)), '', fakes) as Metadata;
  const policy = { searchableMetadata: Object.keys(metadata) };
  return metadataWords(searchablePart(claimedMetadata({ metadata, policy })));
}

async function decode(payload: JsonPayload, { codecs, isStrict = false }: PayloadTools) {
  let payloads = [payloadFromJson(payload)];
  try {
    for (const codec of codecs.toReversed()) payloads = await codec.decode(payloads);
  } catch (cause) {
    // Search attributes and the SDK's own notes are never encrypted, so a codec may refuse them. They are sanitized as plain text.
    if (isStrict || !isPaysessionError(cause, 'ENCRYPTION_REQUIRED'))
      throw unreadable('its codec refuses it', cause);
  }
  const [decoded] = payloads;
  if (decoded === undefined || payloads.length !== 1)
    throw unreadable('its codec did not return exactly one payload');
  return decoded;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable('it does not hold JSON', cause);
  }
}

function unreadable(why: string, cause?: unknown): PaysessionError {
  const message = `A payload of the history cannot be read: ${why}. Nothing was written, since it may hold personal data.`;
  return new PaysessionError('HISTORY_UNREADABLE', message, { cause });
}

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');
const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
