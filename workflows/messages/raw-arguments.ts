import { ApplicationFailure } from '@temporalio/workflow';
import {
  defaultPayloadConverter,
  rawValueTypeInfo,
  type Payload,
  type RawValue,
  type TypeInfo,
} from '@temporalio/common';
import {
  isKeyId,
  KEY_ID,
  refusalOf,
  type PayloadRefusal,
} from '../../src/protocol/temporal/encrypted-payload';
import { invalid } from './input';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../src/contract/values/json';
import { explain } from '../../src/errors/failures';

/**
 * Fails the workflow task. Its name is the error code, and heads the stack trace: in a history, nothing else tells the type
 * of an error that is not one of Temporal's own.
 */
function failedTask(refusal: PayloadRefusal, message: string): Error {
  const error = new Error(message);
  error.name = refusal;
  error.stack = `${refusal}: ${message}\n${error.stack ?? ''}`;
  return error;
}

/**
 * Arguments are taken as they came and decoded in the workflow's own code: what the SDK itself cannot decode fails the
 * workflow task, and is then delivered for ever.
 */
export const RAW_ARGUMENTS: { readonly inputTypes: readonly TypeInfo[] } = {
  // However many arguments there are.
  inputTypes: new Proxy<TypeInfo[]>([], { get: () => rawValueTypeInfo }),
};

/**
 * Arguments that the session cannot do without: while no worker may use one, for instance because none has its key, the workflow task fails, and the
 * engine asks again. Throws a non-retryable `INVALID_INPUT` failure when an argument's bytes are not what its encoding says.
 */
export function decodeArguments(args: readonly RawValue[]): unknown[] {
  return args.map(({ payload }) => decode(payload, failedTask));
}

/**
 * Arguments that can be refused. Throws a non-retryable failure: `INVALID_INPUT` when an argument's bytes are not what its
 * encoding says, `ENCRYPTION_KEY_MISSING`, `ENCRYPTION_TAMPERED` or `ENCRYPTION_REQUIRED` when the worker must not use it.
 */
export function decodeOrRefuse(args: readonly RawValue[]): unknown[] {
  const refused = (refusal: PayloadRefusal, message: string) =>
    ApplicationFailure.nonRetryable(message, refusal);
  return args.map(({ payload }) => decode(payload, refused));
}

/** Throws as `decodeOrRefuse`, and a non-retryable `INVALID_INPUT` failure when there is an argument other than null. */
export function takeNoArguments(args: readonly RawValue[]): void {
  if (decodeOrRefuse(args).some((value) => value != null)) throw invalid('too many arguments');
}

function decode(payload: Payload, refused: (refusal: PayloadRefusal, message: string) => Error): unknown {
  const refusal = refusalOf(metadataOf(payload, 'encoding'));
  if (refusal !== undefined) {
    throw refused(refusal, `An argument cannot be read (${keyOf(payload)}). ${explain(refusal)}`);
  }
  // Reading it, or writing it again, would overflow the stack and fail the workflow task for ever.
  if (metadataOf(payload, 'encoding') === 'json/plain' && isNestedTooDeeply(payload.data ?? new Uint8Array()))
    throw invalid(`an argument nests deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    throw invalid('an argument cannot be decoded: its encoding must be json/plain, its data JSON');
  }
}

/** The sender chose the id, so it is shown only if it has the form of a key's id. */
function keyOf(payload: Payload): string {
  const id = metadataOf(payload, KEY_ID);
  return isKeyId(id) ? `key "${id}"` : 'no key is named';
}

function metadataOf({ metadata }: Payload, name: string): string {
  return String.fromCharCode(...(metadata?.[name] ?? []).slice(0, 100));
}
