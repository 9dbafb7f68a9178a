/**
 * The names of the search attributes of a payment session, by which Temporal lists sessions. Temporal stores search attributes in plain
 * text. `problem` and `metadata` have the type KeywordList, and `changeDelay` has the type Int. All others have the type Keyword.
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
