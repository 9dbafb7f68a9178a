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

/** Returns the type of a search attribute, as Temporal's command line names it. */
export function attributeType(name: string): 'Keyword' | 'KeywordList' | 'Int' {
  if (name === SEARCH_ATTRIBUTES.problem || name === SEARCH_ATTRIBUTES.metadata) return 'KeywordList';
  return name === SEARCH_ATTRIBUTES.changeDelay ? 'Int' : 'Keyword';
}
