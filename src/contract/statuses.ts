/** The statuses and detail codes of a payment session (specification, "States and transitions"). */

/** The five statuses of the specification (contract A58). */
export const SESSION_STATUSES = ['Initiated', 'Completed', 'Failed', 'Cancelled', 'Expired'] as const;

/** A status that this version knows. */
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** A status as the service reports it: one of the five, or one that this version does not know and carries as it is. */
export type ReportedStatus = SessionStatus | (string & Record<never, never>);

/** Each detail code of an EFT session with its status and meaning (contract A56). e-Transfer sessions have none (A46). */
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

/** A detail code as the service reports it; unknown codes are carried as they are. */
export type ReportedCode = SessionCode | (string & Record<never, never>);

/** Whether a text is a status that this version knows. */
export function isSessionStatus(value: string): value is SessionStatus {
  return (SESSION_STATUSES as readonly string[]).includes(value);
}

/** Whether a text is a detail code that this version knows. */
export function isSessionCode(value: string): value is SessionCode {
  return Object.hasOwn(SESSION_CODES, value);
}
