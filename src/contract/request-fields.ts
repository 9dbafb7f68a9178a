import {
  nullish,
  optional,
  type RulesOf,
  type BooleanRule,
  type ChoiceRule,
  type NumberRule,
  type TextForm,
  type TextRule,
} from './field-rules';
import {
  PROVINCES,
  type Address,
  type AmountLimits,
  type NotificationPreferences,
  type Payee,
  type PayeeAccount,
  type Payor,
  type RedirectPreferences,
  type SessionRequestFields,
  type SessionRequestOptions,
} from './session-request';
import { MAXIMUM_AMOUNT, MINIMUM_AMOUNT } from './values/money';

/**
 * Rules for the fields of a creation request.
 */

const boolean: BooleanRule = { type: 'boolean' };

const dollars: NumberRule = { type: 'number' };

/**
 * Dollars: 0.01 to 2^46, with at most two decimals (contract A13). A JavaScript number cannot hold the cents of a larger amount.
 */
export const amount: NumberRule = {
  type: 'number',
  minimum: MINIMUM_AMOUNT,
  maximum: MAXIMUM_AMOUNT,
  maxDecimals: 2,
};

export const oneOf = <Value extends string | boolean>(...values: readonly Value[]): ChoiceRule<Value> => ({
  type: 'choice',
  values,
});

const anyText: TextRule = { type: 'string' };

const text = (maxLength: number): TextRule => ({ type: 'string', maxLength, isWhole: true });

/** Returns the rule for a text that is not blank and has at most `maxLength` characters. */
const filledText = (maxLength: number): TextRule => ({
  ...text(maxLength),
  form: { ...formOf(/\S/u, 'must not be blank'), minLength: 1 },
});

/**
 * The part of an email address before `@`: words joined by single dots (RFC 5321, `Dot-string`). Quoted words are refused, as in
 * browsers.
 */
const MAILBOX = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*/;
/** The labels of a domain before the last label, as browsers accept them in `<input type="email">`. */
const LABELS = /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+/;
/** A top-level domain, such as `com`, or `xn--p1ai` for a name in another script. An IP address does not match. */
const TOP_LEVEL = /[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]/;

/** An email address in a form that browsers and mail servers usually accept; the service may still refuse it (contract A18). */
export const email: TextRule = {
  type: 'string',
  maxLength: 100,
  form: {
    ...formOf(
      new RegExp(`^${MAILBOX.source}@${LABELS.source}${TOP_LEVEL.source}$`),
      'must be an email address',
    ),
    format: 'email',
  },
};

export const digits = (minimum: number, maximum: number): TextRule => ({
  type: 'string',
  form: formOf(
    new RegExp(`^[0-9]{${minimum},${maximum}}$`),
    minimum === maximum ? `must be ${minimum} digits` : `must be ${minimum} to ${maximum} digits`,
  ),
});

/** Like the service, checks only the length and that there are no spaces (contract A26). */
const postalCode: TextRule = {
  type: 'string',
  form: formOf(/^\S{6}$/u, 'must be exactly 6 characters without spaces'),
};

/**
 * The host must follow the slashes directly, without a user. White space and backslashes are refused, because URL parsers drop
 * or change them.
 */
const WEB_URI = /^[hH][tT][tT][pP][sS]?:\/\/[^\s\\/?#@]+([/?#][^\s\\]*)?$/;

/**
 * Control characters, invisible characters and halves of characters. People cannot see them, and URL parsers treat them
 * differently.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** True for an absolute http or https URL that all URL parsers read in the same way. */
const isWebUri = (value: string): boolean =>
  WEB_URI.test(value) && !UNSEEN.test(value) && URL.canParse(value);

/** An absolute http or https URI, at most 2048 characters (contract A17). */
export const webUri: TextRule = {
  type: 'string',
  maxLength: 2048,
  form: {
    fits: isWebUri,
    message: 'must be an absolute http or https URI, without user or password',
    pattern: WEB_URI.source,
    format: 'uri',
  },
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** True for a date in the form `yy-MM-dd` or `yyyy-MM-dd`. A two-digit year may mean 19yy or 20yy (contract A19). */
function isBirthDate(value: string): boolean {
  const [, yearText, monthText, dayText] = /^(\d{2}|\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (yearText === undefined) return false;
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  if (month < 1 || month > 12 || day < 1) return false;
  const years = yearText.length === 2 ? [1900 + year, 2000 + year] : [year];
  return years.some((candidate) => day <= daysIn(candidate, month));
}

const birthDate: TextRule = {
  type: 'string',
  form: {
    fits: isBirthDate,
    message: 'must be a valid date in the form yy-MM-dd',
    pattern: '^(\\d{2}|\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  },
};

/** Returns the form of all texts that match a regular expression. */
function formOf(expression: RegExp, message: string): TextForm {
  return { fits: (value) => expression.test(value), message, pattern: expression.source };
}

/**
 * The rules of a creation request. `validateSessionRequest` has the rules that compare several fields.
 */

const address: RulesOf<Address> = {
  type: 'object',
  members: {
    addressLine1: filledText(100),
    addressLine2: nullish(anyText),
    unit: nullish(anyText),
    city: filledText(100),
    province: oneOf(...PROVINCES),
    country: oneOf('CA'),
    postalCode,
  },
};

const payor: RulesOf<Payor> = {
  type: 'object',
  members: {
    firstName: filledText(100),
    lastName: filledText(100),
    email,
    middleName: nullish(text(100)),
    occupation: nullish(anyText),
    birthDate: nullish(birthDate),
    address: nullish(address),
  },
};

const account: RulesOf<PayeeAccount> = {
  type: 'object',
  members: {
    accountNumber: digits(7, 12),
    transitNumber: digits(5, 5),
    institutionCode: digits(3, 3),
    accountLabel: nullish(text(100)),
  },
};

const payee: RulesOf<Payee> = {
  type: 'object',
  members: { account, accountLabel: nullish(text(100)) },
};

const guarantee: RulesOf<NonNullable<SessionRequestOptions['guarantee']>> = {
  type: 'object',
  members: { enable: boolean },
};

const notificationPreferences: RulesOf<NotificationPreferences> = {
  type: 'object',
  members: { language: optional(oneOf('EN', 'FR')), sendNetworkLink: optional(boolean) },
};

const limits: RulesOf<AmountLimits> = {
  type: 'object',
  members: { minimumAmount: nullish(dollars), maximumAmount: nullish(dollars) },
};

const redirectPreferences: RulesOf<RedirectPreferences> = {
  type: 'object',
  members: {
    mode: optional(oneOf('JsEvents', 'RedirectUri')),
    urlSuccess: nullish(webUri),
    urlExit: nullish(webUri),
  },
};

const options: RulesOf<SessionRequestOptions> = {
  type: 'object',
  members: {
    guarantee: optional(guarantee),
    notificationPreferences: optional(notificationPreferences),
    showConsentScreen: nullish(boolean),
    limits: optional(limits),
    amountModification: optional(boolean),
    redirectPreferences: optional(redirectPreferences),
  },
};

export const REQUEST_FIELDS: RulesOf<SessionRequestFields> = {
  type: 'object',
  members: {
    type: oneOf('EFT', 'e-Transfer'),
    direction: oneOf('DEBIT', 'CREDIT'),
    currency: optional(oneOf('CAD')),
    amount: nullish(amount),
    referenceId: nullish(anyText),
    options,
    payor,
    payee: nullish(payee),
    accountLabel: nullish(text(100)),
  },
};
