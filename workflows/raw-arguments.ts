import {
  defaultPayloadConverter,
  rawValueTypeInfo,
  type Payload,
  type RawValue,
  type TypeInfo,
} from '@temporalio/common';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../src/contract/nesting';
import { invalid } from './input';

/**
 * Arguments are taken as they came and decoded in the workflow's own code: what the SDK itself cannot decode fails the
 * workflow task, and is then delivered for ever.
 */
export const RAW_ARGUMENTS: { readonly inputTypes: readonly TypeInfo[] } = {
  // However many arguments there are.
  inputTypes: new Proxy<TypeInfo[]>([], { get: () => rawValueTypeInfo }),
};

/** Throws a non-retryable `INVALID_INPUT` failure when an argument's bytes are not what its encoding says. */
export function decodeArguments(args: readonly RawValue[]): unknown[] {
  return args.map(({ payload }) => decode(payload));
}

/** Throws a non-retryable `INVALID_INPUT` failure when there is an argument other than null. */
export function takeNoArguments(args: readonly RawValue[]): void {
  if (decodeArguments(args).some((value) => value != null))
    throw invalid('an argument is given that is not taken');
}

function decode(payload: Payload): unknown {
  // Reading it, or writing it again, would overflow the stack and fail the workflow task for ever.
  if (encodingOf(payload) === 'json/plain' && isNestedTooDeeply(payload.data ?? new Uint8Array()))
    throw invalid(`an argument nests deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch (error) {
    // A worker that has the key can decode it: the engine asks again until there is one.
    if (encodingOf(payload).startsWith('binary/encrypted')) throw error;
    throw invalid('an argument cannot be decoded: its encoding must be json/plain, its data JSON');
  }
}

function encodingOf({ metadata }: Payload): string {
  return String.fromCharCode(...(metadata?.['encoding'] ?? []).slice(0, 100));
}
