/**
 * The kinds, statuses and detail codes of payment sessions (specification, "States and transitions"), and the meaning of a reported
 * state for the money.
 */

/** The five statuses of the specification (contract A58). */
export const SESSION_STATUSES = ['Initiated', 'Completed', 'Failed', 'Cancelled', 'Expired'] as const;

/** A status that this version knows. */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** A status as the service reports it: a known status, or an unknown one, which is passed on unchanged. */
export type ReportedStatus = SessionStatus | (string & Record<never, never>);

/** The known detail codes of EFT sessions, with their statuses and meanings (contract A56). e-Transfer sessions have none (A46). */
export const SESSION_CODES = {
  EFT0101: { status: 'Initiated', meaning: 'Session created; awaiting the payor to start.' },
  EFT0301: { status: 'Completed', meaning: 'Transaction scheduled; session fully completed.' },
  EFT0302: { status: 'Completed', meaning: 'Bank account validated; awaiting the PAD signature.' },
  EFT0401: { status: 'Failed', meaning: 'Login failed: invalid financial institution credentials.' },
  EFT0403: { status: 'Failed', meaning: 'Identity failed: the payor did not match the bank account.' },
  EFT0404: { status: 'Failed', meaning: 'Insufficient available balance.' },
  EFT0501: { status: 'Cancelled', meaning: 'Session cancelled by an API request.' },
  EFT0601: { status: 'Expired', meaning: 'Session timed out: the payor was inactive or did not complete.' },
} as const satisfies Record<string, { status: SessionStatus; meaning: string }>;

/** A detail code that this version knows. */
export type SessionCode = keyof typeof SESSION_CODES;

/** A detail code as the service reports it; unknown codes are passed on unchanged. */
export type ReportedCode = SessionCode | (string & Record<never, never>);

/**
 * True if the text is a status that this version knows.
 *
 * @example
 * ```ts
 * if (status !== undefined && !isSessionStatus(status)) console.log('upgrade paysession');
 * ```
 */
export function isSessionStatus(value: string): value is SessionStatus {
  return (SESSION_STATUSES as readonly string[]).includes(value);
}

/**
 * True if the text is a detail code that this version knows.
 *
 * @example
 * ```ts
 * if (code !== undefined && isSessionCode(code)) console.log(SESSION_CODES[code].meaning);
 * ```
 */
export function isSessionCode(value: string): value is SessionCode {
  return Object.hasOwn(SESSION_CODES, value);
}

/** The three kinds of payment session (specification, "What the service does"). */
export type SessionKind = (typeof SESSION_KINDS)[number];

export const SESSION_KINDS = ['EFT', 'GEFT', 'e-Transfer'] as const;

/** True if the text is the name of a kind. */
export function isSessionKind(text: string): text is SessionKind {
  return SESSION_KINDS.some((kind) => kind === text);
}

/** The parts of a creation request that decide its kind. */
export interface KindSource {
  readonly type: 'EFT' | 'e-Transfer';
  readonly options: { readonly guarantee?: { readonly enable: boolean } | undefined };
}

/**
 * Returns the kind of a request: regular EFT, guaranteed EFT (`guarantee.enable`) or e-Transfer.
 *
 * @example
 * ```ts
 * const kind = sessionKind({ type: 'EFT', options: { guarantee: { enable: true } } }); // 'GEFT'
 * ```
 */
export function sessionKind(request: KindSource): SessionKind {
  if (request.type === 'e-Transfer') return 'e-Transfer';
  return request.options.guarantee?.enable === true ? 'GEFT' : 'EFT';
}

/** Returns the state of a session that has just been created (contract A56). An e-Transfer has no codes (A46). */
export function createdState(kind: SessionKind): { readonly status: 'Initiated'; readonly code?: 'EFT0101' } {
  return { status: 'Initiated', ...(kind !== 'e-Transfer' && { code: 'EFT0101' }) };
}

/** The state of a session at one moment, as the details or cancel endpoint reported it. */
export interface SessionSnapshot {
  /** The status, as the service reported it. */
  readonly status: ReportedStatus;
  /** The detail code, as the service reported it; absent if it reported none. */
  readonly code?: ReportedCode;
  /** True if the report has a code that cannot be read; `code` is then absent. It may be any code, even that of a failure. */
  readonly unreadableCode?: true;
  /** The amount in dollars; absent until it is set. */
  readonly amount?: number;
}

/** The known part of a session's state. */
export type KnownState = { [K in 'status' | 'code' | 'unreadableCode']?: SessionSnapshot[K] | undefined };

/** A state, with the session's kind if it is known. */
export interface KnownStateOfKind extends KnownState {
  readonly kind?: string | undefined;
}

/**
 * True if the payor has done all that the payment needs. This is `Completed`/`EFT0301`: the transaction is scheduled. For an
 * e-Transfer, which should have no codes, it is also `Completed` without a code (contract A46, A56). Any other `Completed` is not
 * known to be paid. A regular EFT can come back afterwards; the service's sessions do not show that.
 *
 * @example
 * ```ts
 * const paid = isPaid('EFT', { status: 'Completed', code: 'EFT0301' }); // true
 * ```
 */
export function isPaid(kind: SessionKind, { status, code, unreadableCode }: KnownState): boolean {
  if (status !== 'Completed') return false;
  const needsNoCode = kind === 'e-Transfer' && code === undefined && unreadableCode !== true;
  return code === 'EFT0301' || needsNoCode;
}

/**
 * True for `Completed`/`EFT0302`: the bank account is validated, the PAD agreement is not signed yet (contract A56). False for an
 * e-Transfer, which has no codes (contract A46).
 *
 * @example
 * ```ts
 * awaitsSignature({ kind: 'EFT', status: 'Completed', code: 'EFT0302' }); // true
 * ```
 */
export function awaitsSignature({ kind, status, code }: KnownStateOfKind): boolean {
  return kind !== 'e-Transfer' && status === 'Completed' && code === 'EFT0302';
}

/**
 * True for a `Completed` that may or may not be paid: its code is unreadable or unknown, does not belong to the status or the kind,
 * or is missing although the session is an EFT.
 *
 * @example
 * ```ts
 * if (isUnclear('EFT', { status: 'Completed' })) console.log('Look the payment up before you deliver.');
 * ```
 */
export function isUnclear(kind: SessionKind, state: KnownState): boolean {
  return state.status === 'Completed' && !awaitsSignature({ ...state, kind }) && !isPaid(kind, state);
}
