import { randomUUID } from 'node:crypto';
import { sessionKind, type Payor, type SessionKind, type SessionRequest } from '../../src/contract';
import { isFixedAmount } from '../../src/contract/identity';
import { centsOf, toDollars } from '../../src/contract/values/money';
import type { BankAccount, SandboxClient } from '../clients';
import { planOf, returnsOf, scenarioOf, type PlannedEvent, type PlannedReturn } from './scenarios';
import type { AmountBounds, SandboxSessionState } from './transitions';
import type { AccountId, Institution, LoginId } from './banks';

/** The options of a session with every default applied (contract rules A15–A17 in docs/contract.md). */
export interface SessionOptions {
  /** True if the request asks for a guarantee. */
  readonly guarantee: { readonly enable: boolean };
  /** The language of pages and mails, and whether the service mails the link to the payor. */
  readonly notificationPreferences: { readonly language: 'EN' | 'FR'; readonly sendNetworkLink: boolean };
  /** True if the consent screen is shown; `null` leaves it to the sandbox's options. */
  readonly showConsentScreen: boolean | null;
  /** The bounds of the amount. A bound that the request does not set is the client's. */
  readonly limits: AmountBounds;
  /** The request's `amountModification`, or its default. The state's `amountOpen` says if the payor may enter or change the amount. */
  readonly amountModification: boolean;
  /** The way in which the merchant's page gets control back. */
  readonly redirectPreferences: {
    readonly mode: 'JsEvents' | 'RedirectUri';
    readonly urlSuccess: string | null;
    readonly urlExit: string | null;
  };
}

/** A payment session as the service keeps it. Immutable: an event produces a new object. */
export interface SandboxSession {
  /** The session's id, a UUID. */
  readonly sessionId: string;
  /** The id of the client that created the session. */
  readonly clientId: string;
  /** The request's `referenceId`; `null` if it has none. */
  readonly referenceId: string | null;
  /** The request's `type`. */
  readonly type: 'EFT' | 'e-Transfer';
  /** The kind of session, which follows from the type and the guarantee. */
  readonly kind: SessionKind;
  /** Direction of the payment: the payor pays (`DEBIT`) or is paid (`CREDIT`). */
  readonly direction: 'DEBIT' | 'CREDIT';
  /** The payor, as the request names them. */
  readonly payor: Payor;
  /** The session's options, with every default applied. */
  readonly options: SessionOptions;
  /** The account to which the funds settle: the payee's, or else the client's (contract A33, A35); `null` if there is neither. */
  readonly destination: BankAccount | null;
  /** Text of the To Account line; `null` hides it (contract A39). */
  readonly toAccount: string | null;
  /** Id of the scenario that plays the payor, if any. */
  readonly scenario: string | null;
  /** The part that events change. */
  readonly state: SandboxSessionState;
  /** A person's place in the hosted flow. */
  readonly flow: FlowProgress;
  /** Planned events that are still to come: those of the scenario, and those of `actAt`. */
  readonly plan: readonly PlannedEvent[];
  /** The time from the end of a paid session until it settles, in milliseconds. @default a day */
  readonly settlesAfterMs?: number;
  /** The planned return of the payment, if the payment is paid and settles. */
  readonly returns?: PlannedReturn;
}

/**
 * A step of the hosted flow while the session is open. The step `agreement`, the PAD agreement, follows once the bank account is validated.
 */
export type OpenStep = 'consent' | 'institution' | 'login' | 'account' | 'amount' | 'offer' | 'accept';

export type FlowStep = OpenStep | 'agreement';

/** A payor's place in the hosted flow, and their choices so far. Holds no password and no token. */
export interface FlowProgress {
  /** The step that the payor is at, until the bank account is validated. */
  readonly step: OpenStep;
  /** True if the flow begins with the consent screen. */
  readonly asksConsent: boolean;
  /** Counts the payor's submissions, so that each form is valid for one submission. */
  readonly revision: number;
  /** The number of failed logins so far. */
  readonly failedLogins: number;
  /** The bank that the payor chose. */
  readonly institutionId?: Institution['id'];
  /** The login that the payor used. */
  readonly loginId?: LoginId;
  /** The account that the payor chose. */
  readonly accountId?: AccountId;
  /** The next best offer that the payor is asked about, in dollars (contract A40). */
  readonly offer?: number;
}

export interface Creation {
  readonly request: SessionRequest;
  readonly client: SandboxClient;
  readonly nowMs: number;
  readonly paceMs: number;
  /** True if the consent screen is shown when the request does not decide it. */
  readonly consentByDefault: boolean;
}

/** Returns a new session for a valid request. */
export function openSession({ request, client, nowMs, paceMs, consentByDefault }: Creation): SandboxSession {
  const referenceId = request.referenceId ?? null;
  const options = optionsOf(request, client);
  const state = initialState(request, options, nowMs);
  const scenario = scenarioOf(referenceId);
  const returns = returnsOf(scenario, referenceId);
  const asksConsent = options.showConsentScreen ?? consentByDefault;
  return {
    sessionId: randomUUID(),
    clientId: client.clientId,
    referenceId,
    type: request.type,
    kind: state.kind,
    direction: request.direction,
    payor: request.payor,
    options,
    destination: destinationOf(request, client),
    toAccount: toAccountLabel(request),
    scenario: scenario?.id ?? null,
    state,
    flow: { step: asksConsent ? 'consent' : 'institution', asksConsent, revision: 0, failedLogins: 0 },
    plan: planOf(scenario, state, paceMs),
    ...(returns !== undefined && state.kind === 'EFT' && { returns }),
  };
}

function initialState(request: SessionRequest, options: SessionOptions, nowMs: number): SandboxSessionState {
  const kind = sessionKind(request);
  const code = kind === 'e-Transfer' ? {} : { code: 'EFT0101' };
  const amount = request.amount ?? null;
  return {
    kind,
    status: 'Initiated',
    ...code,
    amount,
    amountOpen: !isFixedAmount(request),
    bounds: inWholeCents(options.limits),
    step: 'Created',
    accountCaptured: false,
    createdAtMs: nowMs,
    touchedAtMs: nowMs,
  };
}

/** Narrows the bounds to whole cents, because no amount has parts of a cent. */
function inWholeCents({ minimumAmount, maximumAmount }: AmountBounds): AmountBounds {
  return {
    minimumAmount: (centsOf(minimumAmount) ?? Math.ceil(minimumAmount * 100)) / 100,
    maximumAmount: (centsOf(maximumAmount) ?? Math.floor(maximumAmount * 100)) / 100,
  };
}

function optionsOf({ options, amount }: SessionRequest, client: SandboxClient): SessionOptions {
  const { notificationPreferences, limits, redirectPreferences } = options;
  return {
    guarantee: { enable: options.guarantee?.enable ?? false },
    notificationPreferences: {
      language: notificationPreferences?.language ?? 'EN',
      sendNetworkLink: notificationPreferences?.sendNetworkLink ?? false,
    },
    showConsentScreen: options.showConsentScreen ?? null,
    limits: {
      minimumAmount: toDollars(limits?.minimumAmount ?? client.minimumAmount),
      maximumAmount: toDollars(limits?.maximumAmount ?? client.maximumAmount),
    },
    amountModification: options.amountModification ?? amount == null,
    redirectPreferences: {
      mode: redirectPreferences?.mode ?? 'JsEvents',
      urlSuccess: redirectPreferences?.urlSuccess ?? null,
      urlExit: redirectPreferences?.urlExit ?? null,
    },
  };
}

/** Returns the account to which a session's funds settle; `null` if neither a payee nor the client names one (contract A35). */
function destinationOf(request: SessionRequest, client: SandboxClient): BankAccount | null {
  if (request.payee == null) return client.settlementAccount;
  const { accountNumber, transitNumber, institutionCode } = request.payee.account;
  return { accountNumber, transitNumber, institutionCode };
}

/**
 * Returns the text of the To Account line (contract A39): the label in the request, which has three places for it, or a label made from the
 * payee's account. Returns `null` if the request has neither a label nor a payee.
 */
function toAccountLabel({ payee, accountLabel }: SessionRequest): string | null {
  const given = [payee?.account.accountLabel, payee?.accountLabel, accountLabel].find(
    (label) => label != null && label !== '',
  );
  if (given != null) return given;
  return payee == null ? null : `${payee.account.institutionCode} ${maskedNumber(payee.account)}`;
}

/** Returns the account's number with all but the last four digits hidden (contract A36). */
export function maskedNumber({ accountNumber }: Pick<BankAccount, 'accountNumber'>): string {
  return `****${accountNumber.slice(-4)}`;
}
