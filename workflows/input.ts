import { ApplicationFailure } from '@temporalio/workflow';
import { resolvePolicy } from './policy';
import type { PaymentSessionInput, ResolveCreate } from './protocol';
import { MAX_REQUEST_BYTES } from '../src/contract/paths';
import type { ErrorCode } from '../src/errors/codes';

/**
 * Shape checks of what reaches the workflow, from this or any other SDK: enough that nothing later trips over it. The
 * request itself is validated by the client before the start, and again by the create activity.
 */

const INVALID_INPUT: ErrorCode = 'INVALID_INPUT';

const MAX_KEY_LENGTH = 200;
const MAX_ACCOUNT_LENGTH = 100;
/** Contract A38; the engine refuses to index a much longer one, again and again. */
const MAX_REFERENCE_LENGTH = 100;

/** Throws a non-retryable `INVALID_INPUT` failure when the input has the wrong shape. */
export function checkInput(input: unknown): asserts input is PaymentSessionInput {
  const fields = record(input, 'the input');
  text(fields['key'], 'key', MAX_KEY_LENGTH);
  if (fields['account'] != null) text(fields['account'], 'account', MAX_ACCOUNT_LENGTH);
  const request = record(fields['request'], 'request');
  if (JSON.stringify(request).length > MAX_REQUEST_BYTES) throw invalid('request is too large');
  if (request['referenceId'] != null)
    text(request['referenceId'], 'request.referenceId', MAX_REFERENCE_LENGTH);
  if (request['amount'] != null && typeof request['amount'] !== 'number')
    throw invalid('request.amount must be a number');
  const options = record(request['options'], 'request.options');
  optionalRecord(options['guarantee'], 'request.options.guarantee');
  optionalRecord(options['notificationPreferences'], 'request.options.notificationPreferences');
  record(request['payor'], 'request.payor');
  const policy = optionalRecord(fields['policy'], 'policy');
  try {
    resolvePolicy(policy, request as unknown as PaymentSessionInput['request']);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'policy is malformed');
  }
}

/** Throws a non-retryable `INVALID_INPUT` failure unless the answer is one of the three. */
export function checkResolution(answer: unknown): asserts answer is ResolveCreate {
  const fields = record(answer, 'the answer');
  const { sessionId, retry, abandon, by, reason, ...others } = fields;
  if (by !== undefined) text(by, 'by', 200);
  if (reason !== undefined) text(reason, 'reason', 500);
  const isSessionId = typeof sessionId === 'string' && sessionId !== '' && sessionId.length <= 200;
  const given = [isSessionId, retry === true, abandon === true].filter(Boolean).length;
  if (given !== 1 || Object.keys(others).length > 0) {
    throw invalid('the answer must be one of {sessionId: text}, {retry: true} and {abandon: true}');
  }
}

export function invalid(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, INVALID_INPUT);
}

type Fields = Readonly<Record<string, unknown>>;

function text(value: unknown, name: string, maxLength: number): void {
  if (typeof value !== 'string' || value === '' || Array.from(value).length > maxLength)
    throw invalid(`${name} must be a text of 1 to ${maxLength} characters`);
}

function record(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} must be an object`);
  return value as Fields;
}

const optionalRecord = (value: unknown, name: string): Fields => (value == null ? {} : record(value, name));
