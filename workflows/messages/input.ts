import { ApplicationFailure } from '@temporalio/workflow';
import type { ErrorCode } from '../../src/errors/codes';
import { previewFailures, type PreviewAdopt } from '../../src/protocol/adopt-preview';
import { decidedByFailures, resolutionFailures, type ResolveCreate } from '../../src/protocol/decisions';
import { inputFailures, requestShapeFailures, type PaymentSessionInput } from '../../src/protocol/input';
import { isContinued } from '../run/is-continued';
import { warnOfFailure } from '../telling/warnings';
import { listFailures } from '../../src/errors/failures';

/**
 * Checks of what reaches the workflow, from this or any other SDK. The request itself is validated by the client before
 * the start, and again by the create activity.
 */

const INVALID_INPUT: ErrorCode = 'INVALID_INPUT';

/**
 * Throws a non-retryable `INVALID_INPUT` failure that lists what breaks the rules of `src/protocol/input.ts`. The input of a
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
