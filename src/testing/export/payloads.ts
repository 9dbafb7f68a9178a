import type { PayloadCodec } from '@temporalio/common';
import type { JSONPayload } from '@temporalio/common/lib/proto-utils';
import { PaysessionError } from '../../errors';
import { payloadFromJson } from '../history-json';
import type { Fakes } from './fakes';
import { HARMLESS_FIELDS, isOwnText } from './harmless';

export interface PayloadTools {
  readonly fakes: Fakes;
  /** The codecs that encoded the payloads, as the worker has them. */
  readonly codecs: readonly PayloadCodec[];
}

/** A payload without personal data, in plain JSON. Throws `HISTORY_UNREADABLE` for one that cannot be read. */
export async function sanitizePayload(
  payload: JSONPayload,
  field: string,
  { fakes, codecs }: PayloadTools,
): Promise<JSONPayload> {
  const { metadata, data } = await decode(payload, codecs);
  const encoding = textOf(metadata?.['encoding']);
  if (encoding === 'binary/null') return { metadata: { encoding: toBase64(encoding) } };
  if (encoding !== 'json/plain') throw unreadable(`its encoding is "${encoding}"`);
  const value = sanitize(parse(textOf(data)), field, fakes);
  const type = metadata?.['type'];
  return {
    metadata: { encoding: toBase64(encoding), ...(type != null && { type: toBase64(textOf(type)) }) },
    data: toBase64(JSON.stringify(value)),
  };
}

/** The same value with every text replaced, but for those that are harmless. */
export function sanitize(value: unknown, field: string, fakes: Fakes): unknown {
  if (typeof value === 'string')
    return HARMLESS_FIELDS.has(field) || isOwnText(value) ? value : fakes.text(value);
  if (Array.isArray(value)) return value.map((item) => sanitize(item, field, fakes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, sanitize(member, name, fakes)]),
  );
}

async function decode(payload: JSONPayload, codecs: readonly PayloadCodec[]) {
  let payloads = [payloadFromJson(payload)];
  try {
    for (const codec of codecs.toReversed()) payloads = await codec.decode(payloads);
  } catch (cause) {
    throw unreadable('its codec refuses it', cause);
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
