/**
 * The search attributes of a payment session. `problem` and `metadata` have the type KeywordList, `changeDelay` the type Int, all others
 * the type Keyword. Temporal stores them in plain text.
 */
export const SEARCH_ATTRIBUTES = {
  status: 'PaymentSessionStatus',
  code: 'PaymentSessionCode',
  kind: 'PaymentSessionKind',
  reference: 'PaymentSessionReference',
  phase: 'PaymentSessionPhase',
  problem: 'PaymentSessionProblem',
  account: 'PaymentSessionAccount',
  shortId: 'PaymentSessionShortId',
  changeDelay: 'PaymentSessionChangeDelayMs',
  metadata: 'PaymentSessionMetadata',
} as const;
