import type { z } from 'zod';
import { sessionKind } from './kinds';
import { sessionRequestSchema, type SessionRequest } from './session-request';
import { referenceFault } from './text';

/** One thing wrong with a request: the field's path (`payor.address.city`, or `request` for the whole) and why. */
export interface ValidationFailure {
  /** The field's path, such as `payor.address.city`; `request` for the whole. */
  readonly path: string;
  /** What the field must be. It never repeats the value. */
  readonly message: string;
}

/** What the service knows of the client that asks, and the switches of its contract. */
export interface RequestRules {
  /** The client's configured minimum, in dollars; `limits.minimumAmount` replaces it (contract A14). @default none */
  readonly minimumAmount?: number;
  /** The client's configured maximum, in dollars; `limits.maximumAmount` replaces it (contract A14). @default none */
  readonly maximumAmount?: number;
  /** Lets an e-Transfer omit `options.guarantee` (contract A15). @default false */
  readonly guaranteeOptionalForETransfer?: boolean;
}

/** A valid request, or everything that is wrong with it. */
export type ValidationResult =
  | { readonly valid: true; readonly request: SessionRequest }
  | { readonly valid: false; readonly failures: readonly ValidationFailure[] };

/**
 * Checks a creation request against the contract and lists every failure (contract A10–A39, A21).
 *
 * @example
 * ```ts
 * const checked = validateSessionRequest(JSON.parse('{}'));
 * if (!checked.valid) for (const { path, message } of checked.failures) console.log(path, message);
 * ```
 */
export function validateSessionRequest(input: unknown, rules: RequestRules = {}): ValidationResult {
  const parsed = sessionRequestSchema.safeParse(input, { error: shapeMessage });
  const failures = [
    ...(parsed.success ? [] : parsed.error.issues.map(toFailure)),
    ...crossFieldFailures(asRecord(input), rules),
  ];
  if (parsed.success && failures.length === 0) return { valid: true, request: parsed.data };
  return { valid: false, failures };
}

/** Reads on from the field's path, and never repeats the value; rules with a message of their own keep it. */
function shapeMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`;
  return undefined;
}

function toFailure(issue: z.core.$ZodIssue): ValidationFailure {
  return { path: issue.path.join('.') || 'request', message: issue.message };
}

/**
 * The rules that join several fields. They read the raw input, so that they are listed together with the failures of
 * its shape; a field of the wrong type is the shape's failure and is passed over here.
 */
function crossFieldFailures(request: Fields, rules: RequestRules): ValidationFailure[] {
  const options = asRecord(request['options']);
  const guarantee = asRecord(options['guarantee']);
  return [
    ...directionFailures(request),
    ...guaranteeFailures(request, options, guarantee, rules),
    ...referenceFailures(request, guarantee),
    ...payeeFailures(request, guarantee),
    ...amountFailures(request, asRecord(options['limits']), rules),
  ];
}

function directionFailures(request: Fields): ValidationFailure[] {
  return request['type'] === 'EFT' && request['direction'] === 'CREDIT'
    ? [{ path: 'direction', message: 'must be DEBIT for an EFT session' }]
    : [];
}

function guaranteeFailures(
  request: Fields,
  options: Fields,
  guarantee: Fields,
  rules: RequestRules,
): ValidationFailure[] {
  const failures: ValidationFailure[] = [];
  const mayOmit = rules.guaranteeOptionalForETransfer === true && request['type'] === 'e-Transfer';
  if (isRecord(request['options']) && options['guarantee'] === undefined && !mayOmit) {
    failures.push({ path: 'options.guarantee', message: 'is required' });
  }
  if (guarantee['enable'] === true && asRecord(request['payor'])['address'] == null) {
    failures.push({ path: 'payor.address', message: 'is required when a guarantee is enabled' });
  }
  return failures;
}

const EFT_REFERENCE = /^[a-zA-Z0-9-]{1,36}$/;

function referenceFailures(request: Fields, guarantee: Fields): ValidationFailure[] {
  const reference = request['referenceId'];
  if (typeof reference !== 'string') return [];
  if (isRegularEft(request, guarantee)) {
    return EFT_REFERENCE.test(reference)
      ? []
      : [{ path: 'referenceId', message: 'must be 1 to 36 letters, digits or hyphens for regular EFT' }];
  }
  const message = referenceFault(reference);
  return message === undefined ? [] : [{ path: 'referenceId', message }];
}

function payeeFailures(request: Fields, guarantee: Fields): ValidationFailure[] {
  return isRegularEft(request, guarantee) && request['payee'] != null
    ? [{ path: 'payee', message: 'must be absent for regular EFT' }]
    : [];
}

function amountFailures(request: Fields, limits: Fields, rules: RequestRules): ValidationFailure[] {
  const minimum = asNumber(limits['minimumAmount']) ?? rules.minimumAmount;
  const maximum = asNumber(limits['maximumAmount']) ?? rules.maximumAmount;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    return [{ path: 'options.limits', message: 'minimumAmount must not be above maximumAmount' }];
  }
  const value = asNumber(request['amount']);
  if (value === undefined) return [];
  if (minimum !== undefined && value < minimum) {
    return [{ path: 'amount', message: `must be at least ${minimum}` }];
  }
  if (maximum !== undefined && value > maximum) {
    return [{ path: 'amount', message: `must be at most ${maximum}` }];
  }
  return [];
}

type Fields = Readonly<Record<string, unknown>>;

function isRegularEft(request: Fields, guarantee: Fields): boolean {
  if (request['type'] !== 'EFT') return false;
  return (
    sessionKind({ type: 'EFT', options: { guarantee: { enable: guarantee['enable'] === true } } }) === 'EFT'
  );
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const asRecord = (value: unknown): Fields => (isRecord(value) ? value : {});

const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
