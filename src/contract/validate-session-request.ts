import { isRecord, type JsonRecord } from './values/json';
import { toDollars } from './values/money';
import { REQUEST_FIELDS } from './request-fields';
import type { SessionRequest } from './session-request';
import { referenceFault } from './values/text';
import { fieldFailures, knownPart, misspeltFailures, type ValidationFailure } from './field-rules';

export type { ValidationFailure };

/** The settings that the service has for a client, as far as they decide whether a request is valid. */
export interface RequestRules {
  /** The client's lowest amount, in dollars. A request's `limits.minimumAmount` replaces it (contract A14). @default none */
  readonly minimumAmount?: number;
  /** The client's highest amount, in dollars. A request's `limits.maximumAmount` replaces it (contract A14). @default none */
  readonly maximumAmount?: number;
  /** True if an e-Transfer may omit `options.guarantee` (contract A15). @default false */
  readonly guaranteeOptionalForETransfer?: boolean;
}

/** A valid request, or the failures of an invalid one. */
export type ValidationResult =
  | { readonly valid: true; readonly request: SessionRequest }
  | { readonly valid: false; readonly failures: readonly ValidationFailure[] };

/**
 * Checks a creation request against the contract (rules A10 to A39 in docs/contract.md). Lists the failures of all fields, and
 * misspelt fields. An invalid request is a result: the function does not throw.
 *
 * @example
 * ```ts
 * const checked = validateSessionRequest(JSON.parse('{}'));
 * if (!checked.valid) for (const { path, message } of checked.failures) console.log(path, message);
 * ```
 */
export function validateSessionRequest(input: unknown, rules: RequestRules = {}): ValidationResult {
  const checked = validateAsService(input, rules);
  const misspelt = misspeltFailures(REQUEST_FIELDS, input);
  if (misspelt.length === 0) return checked;
  return { valid: false, failures: [...(checked.valid ? [] : checked.failures), ...misspelt] };
}

/**
 * Checks a creation request as the payment service does. A misspelt field, such as `amont`, is ignored like any unknown field
 * (contract A20).
 */
export function validateAsService(input: unknown, rules: RequestRules = {}): ValidationResult {
  // Checks only the fields that JSON carries, because the request is sent as JSON.
  const known = knownPart(REQUEST_FIELDS, input);
  const failures = [...fieldFailures(REQUEST_FIELDS, known), ...crossFieldFailures(asRecord(known), rules)];
  // The rules are typed by `SessionRequest`, and the request follows every rule.
  return failures.length === 0
    ? { valid: true, request: known as SessionRequest }
    : { valid: false, failures };
}

/**
 * Checks the rules that compare several fields, or that depend on the client. Ignores values of the wrong type, because
 * `fieldFailures` reports them.
 */
function crossFieldFailures(request: JsonRecord, rules: RequestRules): ValidationFailure[] {
  const options = asRecord(request['options']);
  const guarantee = asRecord(options['guarantee']);
  return [
    ...directionFailures(request),
    ...guaranteeFailures(request, options, guarantee, rules),
    ...referenceIdFailures(request, guarantee),
    ...payeeFailures(request, guarantee),
    ...amountFailures(request, asRecord(options['limits']), rules),
  ];
}

function directionFailures(request: JsonRecord): ValidationFailure[] {
  return request['type'] === 'EFT' && request['direction'] === 'CREDIT'
    ? [{ path: 'direction', message: 'must be DEBIT for an EFT session' }]
    : [];
}

function guaranteeFailures(
  request: JsonRecord,
  options: JsonRecord,
  guarantee: JsonRecord,
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

function referenceIdFailures(request: JsonRecord, guarantee: JsonRecord): ValidationFailure[] {
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

function payeeFailures(request: JsonRecord, guarantee: JsonRecord): ValidationFailure[] {
  return isRegularEft(request, guarantee) && request['payee'] != null
    ? [{ path: 'payee', message: 'must be absent for regular EFT' }]
    : [];
}

function amountFailures(request: JsonRecord, limits: JsonRecord, rules: RequestRules): ValidationFailure[] {
  const minimum = asDollars(limits['minimumAmount']) ?? rules.minimumAmount;
  const maximum = asDollars(limits['maximumAmount']) ?? rules.maximumAmount;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    return [{ path: 'options.limits', message: 'minimumAmount must not be above maximumAmount' }];
  }
  const value = asDollars(request['amount']);
  if (value === undefined) return [];
  if (minimum !== undefined && value < minimum) {
    return [{ path: 'amount', message: `must be at least ${minimum}` }];
  }
  if (maximum !== undefined && value > maximum) {
    return [{ path: 'amount', message: `must be at most ${maximum}` }];
  }
  return [];
}

const isRegularEft = (request: JsonRecord, guarantee: JsonRecord): boolean =>
  request['type'] === 'EFT' && guarantee['enable'] !== true;

const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/**
 * Returns the value as dollars, or `undefined` if it is not a finite number. A sum of doubles, such as 0.1 + 0.2, becomes 0.30
 * (contract A14).
 */
const asDollars = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? toDollars(value) : undefined;
