/**
 * The kinds, statuses and detail codes of payment sessions (specification, "States and transitions").
 */

/** The five statuses of the specification (contract A58). */
export const SESSION_STATUSES = ['Initiated', 'Completed', 'Failed', 'Cancelled', 'Expired'] as const;

/** A status that this version knows. */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** A status as the service reports it. A status that this version does not know is passed on unchanged. */
export type ReportedStatus = SessionStatus | (string & Record<never, never>);

/**
 * The known detail codes of EFT sessions, with their statuses and meanings (contract A56).
 */
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

/** A detail code as the service reports it. A code that this version does not know is passed on unchanged. */
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

/** True for the name of a kind. */
export function isSessionKind(text: string): text is SessionKind {
  return SESSION_KINDS.some((kind) => kind === text);
}

/** The parts of a creation request that decide the session's kind. */
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

/** Returns the state of a session that has just been created (contract A56). */
export function createdState(kind: SessionKind): { readonly status: 'Initiated'; readonly code?: 'EFT0101' } {
  return { status: 'Initiated', ...(kind !== 'e-Transfer' && { code: 'EFT0101' }) };
}

/** The state of a session at one moment, as the details or cancel endpoint reported it. */
export interface SessionSnapshot {
  /** The status, as the service reported it. */
  readonly status: ReportedStatus;
  /** The detail code, as the service reported it. Absent if the service reported no code. */
  readonly code?: ReportedCode;
  /**
   * True if the report has a code that cannot be read. `code` is then absent, and the session may have any code, even a failure's
   * code.
   */
  readonly unreadableCode?: true;
  /** The amount in dollars. Absent until the payor or the request has set it. */
  readonly amount?: number;
}

/** The known part of a session's state. */
export type KnownState = { [K in 'status' | 'code' | 'unreadableCode']?: SessionSnapshot[K] | undefined };

/** A state, with the session's kind if it is known. */
export interface KnownStateOfKind extends KnownState {
  readonly kind?: string | undefined;
}

/**
 * True if the payor has done all that the payment needs: the session is `Completed` with the code `EFT0301`, so the transaction is
 * scheduled (contract A56). An e-Transfer has no codes, and is paid if it is `Completed` without a code
 * (contract A46). Any other `Completed` is not known to be paid.
 *
 * A regular EFT can still come back afterwards. The service's sessions do not show that.
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
 * True for `Completed` with the code `EFT0302`: the bank account is validated, but the payor has not signed the PAD agreement yet
 * (contract A56). Always false for an e-Transfer, which has no codes (contract A46).
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
 * True for a `Completed` of which it is unclear whether it is paid. Its code is unreadable, unknown, or missing for an EFT, or does
 * not belong to the status or the session's kind.
 *
 * @example
 * ```ts
 * if (isUnclear('EFT', { status: 'Completed' })) console.log('Look the payment up before you deliver.');
 * ```
 */
export function isUnclear(kind: SessionKind, state: KnownState): boolean {
  return state.status === 'Completed' && !awaitsSignature({ ...state, kind }) && !isPaid(kind, state);
}
