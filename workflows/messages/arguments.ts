/**
 * Decodes and checks the arguments of the workflow and its messages. Any SDK may have sent them, so the workflow takes them
 * undecoded.
 */
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import {
  defaultPayloadConverter,
  rawValueTypeInfo,
  type Payload,
  type RawValue,
  type TypeInfo,
} from '@temporalio/common';
import type { ValidationFailure } from '../../src/contract/validate-session-request';
import type { ErrorCode } from '../../src/errors/codes';
import {
  isKeyId,
  KEY_ID,
  refusalOf,
  type PayloadRefusal,
} from '../../src/protocol/temporal/encrypted-payload';
import { warnOfFailure, warnOfUnreadCancel } from '../record/published';
import { isRecord, isNestedTooDeeply, MAX_JSON_DEPTH } from '../../src/contract/values/json';
import { explain, listFailures } from '../../src/errors/failures';
import { type PaymentSessionInput, inputFailures, requestShapeFailures } from '../../src/protocol/input';
import { decidedByFailures, namedIn, type DecidedBy } from '../../src/protocol/decisions';

/**
 * Makes the SDK pass arguments undecoded, so that the workflow's own code decodes them. If the SDK decoded an argument and failed,
 * the workflow task would fail and be delivered again for ever.
 */
export const RAW_ARGUMENTS: { readonly inputTypes: readonly TypeInfo[] } = {
  // The proxy has a type for any number of arguments.
  inputTypes: new Proxy<TypeInfo[]>([], { get: () => rawValueTypeInfo }),
};

/**
 * True if this run continues an earlier run. After a continue-as-new, the second argument is a record. A run that a retry policy or
 * a cron schedule began has no record, and `checkInput` refuses it.
 */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/**
 * Throws a non-retryable `INVALID_INPUT` failure if the input breaks the rules of `src/protocol/input.ts`, or if the workflow has a
 * cron schedule or a retry policy. Here, only the shape of the request is checked. The client checks the whole request before the
 * start, and so does the create activity.
 *
 * The input of a continued run is not checked again: the first run has checked it, perhaps by the rules of an earlier version.
 */
export function checkInput(input: unknown): asserts input is PaymentSessionInput {
  const ofInput = isContinued() ? [] : inputFailures(input, requestShapeFailures);
  const failures = [...repetitionFailures(), ...ofInput];
  if (failures.length > 0) warnOfFailure(INVALID_INPUT);
  refuseFailures(failures);
}

/**
 * Returns a failure if the workflow was started with a cron schedule or a retry policy. With these, the Temporal server begins
 * further runs with the same input, and each run could open another session.
 */
function repetitionFailures(): ValidationFailure[] {
  const { cronSchedule, retryPolicy } = workflowInfo();
  if (cronSchedule === undefined && retryPolicy === undefined) return [];
  const message =
    'takes no cron schedule and no retry policy, which could open a second session under its key';
  return [{ path: 'a payment session', message }];
}

/**
 * Decodes arguments that the session needs. If the worker must not use an argument, for instance because the worker lacks the
 * encryption key, throws an error that fails the workflow task. The Temporal server then repeats the task. If an argument cannot be
 * decoded or nests too deeply, throws a non-retryable `INVALID_INPUT` failure.
 */
export const decodeArguments = (args: readonly RawValue[]): unknown[] =>
  args.map((argument) => decode(argument, failedTask));

/**
 * Decodes the only argument of an update. Returns `undefined` if there is no argument. To refuse the update, throws a non-retryable
 * failure. Its type is `INVALID_INPUT` if there are more arguments that are not null, or if an argument cannot be decoded or nests
 * too deeply. It is `ENCRYPTION_KEY_MISSING`, `ENCRYPTION_TAMPERED` or `ENCRYPTION_REQUIRED` if the worker must not use an
 * argument.
 */
export function onlyArgument([first, ...others]: readonly RawValue[]): unknown {
  for (const other of others) takeNone(decode(other, refused));
  return first && decode(first, refused);
}

/** Throws a non-retryable `INVALID_INPUT` failure for an argument that is not null. */
export function takeNone(argument: unknown): void {
  if (argument != null) throw invalid('too many arguments');
}

/** Throws a non-retryable `INVALID_INPUT` failure if the argument, or the name or the reason in it, is invalid. */
export function checkDecidedBy(argument: unknown): void {
  refuseFailures(decidedByFailures(argument));
}

/** Throws a non-retryable `INVALID_INPUT` failure unless the revision is a whole number, not below 0. */
export function checkRevision(revision: unknown): void {
  if (!Number.isSafeInteger(revision) || Number(revision) < 0)
    throw invalid('the revision must be a whole number, not below 0');
}

/** Throws a non-retryable `INVALID_INPUT` failure that lists the validation failures, if there are any. */
export function refuseFailures(failures: readonly ValidationFailure[]): void {
  if (failures.length > 0) throw invalid(listFailures(failures));
}

/**
 * Returns the name and the reason from a signal's argument. A signal cannot be refused, so invalid values are dropped. If the
 * argument cannot be read, logs a warning.
 */
export function usableDecidedBy([first]: readonly RawValue[]): DecidedBy | undefined {
  const argument = readable(first);
  if (!isRecord(argument)) return undefined;
  const { by, reason } = argument;
  const isUsable = (field: object) => decidedByFailures(field).length === 0;
  // Values that pass the rules are text, null or absent.
  return namedIn({ ...(isUsable({ by }) && { by }), ...(isUsable({ reason }) && { reason }) } as DecidedBy);
}

function readable(argument: RawValue | undefined): unknown {
  try {
    return argument && decode(argument, refused);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    warnOfUnreadCancel(error.type);
    return undefined;
  }
}

const INVALID_INPUT: ErrorCode = 'INVALID_INPUT';

export const invalid = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, INVALID_INPUT);

/** Creates the error to throw for an argument that the worker must not use. */
type Refused = (refusal: PayloadRefusal, message: string) => Error;

/** Creates a failure that refuses the update. */
const refused: Refused = (refusal, message) => ApplicationFailure.nonRetryable(message, refusal);

/**
 * Creates an error that fails the workflow task. The error code is the error's name and the beginning of its stack trace, because a
 * history shows a custom error's type nowhere else.
 */
const failedTask: Refused = (refusal, message) => {
  const error = new Error(message);
  error.name = refusal;
  error.stack = `${refusal}: ${message}\n${error.stack ?? ''}`;
  return error;
};

function decode({ payload }: RawValue, toError: Refused): unknown {
  const refusal = refusalOf(metadataOf(payload, 'encoding'));
  if (refusal !== undefined) {
    throw toError(refusal, `An argument cannot be read (${keyOf(payload)}). ${explain(refusal)}`);
  }
  // To parse a value that nests so deeply would overflow the stack, and the workflow task would fail for ever.
  if (metadataOf(payload, 'encoding') === 'json/plain' && isNestedTooDeeply(payload.data ?? new Uint8Array()))
    throw invalid(`an argument nests deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    throw invalid('an argument cannot be decoded: its encoding must be json/plain, its data JSON');
  }
}

/**
 * Names a payload's encryption key for a message. The sender chose the key's id, so the id is shown only if it has the usual form.
 */
function keyOf(payload: Payload): string {
  const id = metadataOf(payload, KEY_ID);
  return isKeyId(id) ? `key "${id}"` : 'no key is named';
}

function metadataOf({ metadata }: Payload, name: string): string {
  return String.fromCharCode(...(metadata?.[name] ?? []).slice(0, 100));
}
