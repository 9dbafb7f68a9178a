/**
 * Arguments that reach the workflow, from this or any other SDK. The workflow takes them undecoded, then decodes and
 * checks them here.
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
 * Leaves arguments undecoded, so that the workflow's own code decodes them. If the SDK itself cannot decode an
 * argument, the workflow task fails and is delivered again for ever.
 */
export const RAW_ARGUMENTS: { readonly inputTypes: readonly TypeInfo[] } = {
  // For any number of arguments.
  inputTypes: new Proxy<TypeInfo[]>([], { get: () => rawValueTypeInfo }),
};

/**
 * True if this run continues an earlier run: only then is a record the second argument. Also true for a run that a retry
 * policy or a cron schedule began, which has no record: `checkInput` refuses it.
 */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/**
 * Throws a non-retryable `INVALID_INPUT` failure that lists the violations of the rules in `src/protocol/input.ts`, and a cron
 * schedule or a retry policy of the workflow. The client validates the request before the start, and the create
 * activity validates it again. The input of a run that continues another was checked when the first run began, by the
 * rules of its time.
 */
export function checkInput(input: unknown): asserts input is PaymentSessionInput {
  const ofInput = isContinued() ? [] : inputFailures(input, requestShapeFailures);
  const failures = [...repetitionFailures(), ...ofInput];
  if (failures.length > 0) warnOfFailure(INVALID_INPUT);
  refuseFailures(failures);
}

/**
 * Returns a failure if the workflow was started with a cron schedule or a retry policy. The Temporal server would then begin
 * further runs with the same input, and each could open another session.
 */
function repetitionFailures(): ValidationFailure[] {
  const { cronSchedule, retryPolicy } = workflowInfo();
  if (cronSchedule === undefined && retryPolicy === undefined) return [];
  const message =
    'takes no cron schedule and no retry policy, which could open a second session under its key';
  return [{ path: 'a payment session', message }];
}

/**
 * Decodes arguments that the session needs. If the worker must not use an argument, for instance because it lacks the
 * encryption key, the workflow task fails, and the Temporal server repeats it. Throws a non-retryable `INVALID_INPUT` failure if an
 * argument cannot be decoded or nests too deeply.
 */
export const decodeArguments = (args: readonly RawValue[]): unknown[] =>
  args.map((argument) => decode(argument, failedTask));

/**
 * Decodes the only argument of an update, which can be refused. Returns `undefined` if there is none. Throws a
 * non-retryable failure: `INVALID_INPUT` if a further argument is not null, or if an argument cannot be decoded or nests
 * too deeply; `ENCRYPTION_KEY_MISSING`, `ENCRYPTION_TAMPERED` or `ENCRYPTION_REQUIRED` if the worker must not use it.
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
 * Returns the name and the reason from a signal's argument, which cannot be refused. Drops values that break the rules.
 * Logs a warning for an argument that cannot be read.
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

/** Makes the error to throw for an argument that the worker must not use. */
type Refused = (refusal: PayloadRefusal, message: string) => Error;

/** Returns a failure that refuses the argument. */
const refused: Refused = (refusal, message) => ApplicationFailure.nonRetryable(message, refusal);

/**
 * Returns an error that fails the workflow task. The error's name is its code, which also heads the stack trace: a history
 * shows the type of a custom error nowhere else.
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
  // Reading or writing such an argument would overflow the stack and fail the workflow task for ever.
  if (metadataOf(payload, 'encoding') === 'json/plain' && isNestedTooDeeply(payload.data ?? new Uint8Array()))
    throw invalid(`an argument nests deeper than ${MAX_JSON_DEPTH} levels`);
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    throw invalid('an argument cannot be decoded: its encoding must be json/plain, its data JSON');
  }
}

/** Names a payload's encryption key. The sender chose the id, so the text shows it only if it has the form of a key's id. */
function keyOf(payload: Payload): string {
  const id = metadataOf(payload, KEY_ID);
  return isKeyId(id) ? `key "${id}"` : 'no key is named';
}

function metadataOf({ metadata }: Payload, name: string): string {
  return String.fromCharCode(...(metadata?.[name] ?? []).slice(0, 100));
}
