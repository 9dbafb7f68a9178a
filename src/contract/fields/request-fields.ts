import { nullish, optional, type RulesOf } from './field-rules';
import {
  amount,
  anyText,
  birthDate,
  boolean,
  digits,
  dollars,
  email,
  filledText,
  oneOf,
  postalCode,
  text,
  webUri,
} from './common-fields';
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
} from '../session-request';

/**
 * The one table of what each field of a creation request may hold. The rules that join several fields, or depend on the
 * client, are in `validateSessionRequest`.
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
