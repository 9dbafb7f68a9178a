import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import {
  defaultPayloadConverter,
  rawValueTypeInfo,
  type Payload,
  type RawValue,
  type TypeInfo,
} from '@temporalio/common';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../src/contract/values/nesting';
import { explain, listFailures } from '../../src/errors/explain';
import {
  isKeyId,
  KEY_ID,
  refusalOf,
  type PayloadRefusal,
} from '../../src/protocol/temporal/encrypted-payload';
import type { ErrorCode } from '../../src/errors/codes';
import { previewFailures, type PreviewAdopt } from '../../src/protocol/messages/adopt-preview';
import { decidedByFailures, namedIn, type DecidedBy } from '../../src/protocol/messages/decided-by';
import { resolutionFailures, type ResolveCreate } from '../../src/protocol/messages/resolution';
import { inputFailures, requestShapeFailures } from '../../src/protocol/input/rules';
import type { PaymentSessionInput } from '../../src/protocol/input/input';
import { warnOfFailure, warnOfUnreadCancel } from '../record/published';
import { isRecord } from '../../src/contract/values/is-record';

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

/**
 * Checks of what reaches the workflow, from this or any other SDK. The request itself is validated by the client before
 * the start, and again by the create activity.
 */

const INVALID_INPUT: ErrorCode = 'INVALID_INPUT';

/**
 * Throws a non-retryable `INVALID_INPUT` failure that lists what breaks the rules of `src/protocol/input/rules.ts`. The input of a
 * run that continues another was checked when the first began, by the rules of its time.
 */
export function checkInput(input: unknown): asserts input is PaymentSessionInput {
  if (isContinued()) return;
  const failures = inputFailures(input, requestShapeFailures);
  if (failures.length === 0) return;
  warnOfFailure(INVALID_INPUT);
  throw invalid(listFailures(failures));
}

/** Throws a non-retryable `INVALID_INPUT` failure unless the answer is one of the three. */
export function checkResolution(answer: unknown): asserts answer is ResolveCreate {
  const failures = resolutionFailures(answer);
  if (failures.length > 0) throw invalid(listFailures(failures));
}

/** Throws a non-retryable `INVALID_INPUT` failure unless it names a session of the payment service. */
export function checkPreview(argument: unknown): asserts argument is PreviewAdopt {
  const failures = previewFailures(argument);
  if (failures.length > 0) throw invalid(listFailures(failures));
}

/** Throws a non-retryable `INVALID_INPUT` failure unless it says who decides and why, or nothing. */
export function checkDecidedBy(argument: unknown): void {
  const failures = decidedByFailures(argument);
  if (failures.length > 0) throw invalid(listFailures(failures));
}

/** Throws a non-retryable `INVALID_INPUT` failure unless it is the revision of a session's state. */
export function checkRevision(revision: unknown): asserts revision is number {
  if (!Number.isSafeInteger(revision) || Number(revision) < 0)
    throw invalid('the revision must be a whole number, not below 0');
}

export function invalid(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, INVALID_INPUT);
}

/** Whether this run continues an earlier one: only then is a record handed over. */
export function isContinued(): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined;
}

/** Who sends a message and why: its argument, from this or any other SDK. */

/** Throws when an update's arguments are something else. */
export function validateDecidedBy([first, ...others]: readonly RawValue[]): void {
  takeNoArguments(others);
  if (first !== undefined) checkDecidedBy(decodeOrRefuse([first])[0]);
}

/** The argument of an update that `validateDecidedBy` has checked. */
export function decidedByOf([first]: readonly RawValue[]): DecidedBy | undefined {
  // It may be null.
  const argument = first && (decodeArguments([first])[0] as DecidedBy | null);
  return argument == null ? undefined : namedIn(argument);
}

/** The argument of a signal, which cannot be refused: what cannot be read, which is logged, or breaks the rules is left out. */
export function usableDecidedBy([first]: readonly RawValue[]): DecidedBy | undefined {
  const argument = readable(first);
  if (!isRecord(argument)) return undefined;
  const { by, reason } = argument;
  const isUsable = (field: object) => decidedByFailures(field).length === 0;
  // They are text, or null, where the rules hold.
  return namedIn({ ...(isUsable({ by }) && { by }), ...(isUsable({ reason }) && { reason }) } as DecidedBy);
}

function readable(argument: RawValue | undefined): unknown {
  try {
    return argument && decodeOrRefuse([argument])[0];
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    warnOfUnreadCancel(error.type);
    return undefined;
  }
}
