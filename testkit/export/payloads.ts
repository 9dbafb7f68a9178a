import type { PayloadCodec } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/names';
import { isPaysessionError, PaysessionError } from '../../src/errors';
import { payloadFromJson, type JsonPayload } from '../history-json';
import type { Fakes } from './fakes';
import { isAllowedName, isAllowedText, keepsNumbers } from './allowed';

export interface PayloadTools {
  readonly fakes: Fakes;
  /** The codecs that encoded the payloads, as the worker has them. */
  readonly codecs: readonly PayloadCodec[];
}

/** What the SDK writes beside a search attribute's value. */
const VALUE_TYPE = /^(Keyword|KeywordList|Text|Int|Double|Bool|Datetime)$/;

/** A payload without personal data, in plain JSON. Throws `HISTORY_UNREADABLE` for one that cannot be read. */
export async function sanitizePayload(
  payload: JsonPayload,
  field: string,
  tools: PayloadTools,
): Promise<JsonPayload> {
  return rewritePayload(payload, tools, (value) => sanitize(value, field, tools.fakes));
}

/** A payload that our own code wrote for itself, in plain JSON. */
export async function openPayload(payload: JsonPayload, tools: PayloadTools): Promise<JsonPayload> {
  return rewritePayload(payload, tools, (value) => value);
}

/** A payload with its value changed, in plain JSON. Throws `HISTORY_UNREADABLE`. */
export async function rewritePayload(
  payload: JsonPayload,
  { codecs }: PayloadTools,
  change: (value: unknown) => unknown,
): Promise<JsonPayload> {
  const { metadata, data } = await decode(payload, codecs);
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

/** The same value with every name, text and number replaced that is not allowed where it is. */
export function sanitize(value: unknown, field: string, fakes: Fakes): unknown {
  switch (typeof value) {
    case 'string':
      if (isAllowedText(value, field)) return value;
      return field === SEARCH_ATTRIBUTES.shortId ? fakes.beginningOfId(value) : fakes.text(value);
    case 'number':
      return keepsNumbers(field) ? value : 0;
    case 'object': {
      if (value === null) return value;
      if (Array.isArray(value)) return value.map((item) => sanitize(item, field, fakes));
      const members = Object.entries(value).map(([name, member]) => [
        isAllowedName(name) ? name : fakes.text(name),
        sanitize(member, name, fakes),
      ]);
      return Object.fromEntries(members) as object;
    }
    default:
      return value;
  }
}

async function decode(payload: JsonPayload, codecs: readonly PayloadCodec[]) {
  let payloads = [payloadFromJson(payload)];
  try {
    for (const codec of codecs.toReversed()) payloads = await codec.decode(payloads);
  } catch (cause) {
    // Search attributes and the SDK's own notes are never encrypted; an export trusts nothing, and takes all of it apart.
    if (!isPaysessionError(cause, 'ENCRYPTION_REQUIRED')) throw unreadable('its codec refuses it', cause);
  }
  const [decoded] = payloads;
  if (decoded === undefined || payloads.length !== 1) throw unreadable('its codec gave no payload');
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
