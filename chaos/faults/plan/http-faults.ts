/** Faults between a worker and the payment service. */
export const HTTP_FAULTS = [
  /** The service accepts no more connections for a while. */
  'refused',
  'resetBeforeRead',
  'resetAfterRead',
  'hang',
  'slow',
  'status500',
  'status500Processed',
  'status503RetryAfter',
  'status408',
  'limitSeconds',
  'limitDate',
  'limitAbsurd',
  'limitWithoutWait',
  'malformed',
  'truncated',
  'oversized',
  'deep',
  'wrongLength',
  'unauthorized',
  'echo',
  'unknownStatus',
  'unknownCode',
  'missingCode',
  'backwardStatus',
  'wrongSession',
  'skewedDate',
  'redirect',
  'htmlPage',
  'notFound',
] as const;

export type HttpFault = (typeof HTTP_FAULTS)[number];

/** Faults that make the answer to a poll false. */
const FALSE_ANSWERS: readonly HttpFault[] = [
  'unknownStatus',
  'unknownCode',
  'missingCode',
  'backwardStatus',
  'wrongSession',
  'notFound',
];

/**
 * Possible faults of a create request. False answers about the new session and the status 404, which refuses the request, are excluded,
 * because a session cannot recover from them.
 */
export const CREATE_FAULTS: readonly HttpFault[] = HTTP_FAULTS.filter(
  (fault) => !FALSE_ANSWERS.includes(fault),
);
/** Possible faults of a request for a token. Excludes a refusal of the credentials, because it is final. */
export const AUTHORIZE_FAULTS: readonly HttpFault[] = [
  'resetBeforeRead',
  'resetAfterRead',
  'hang',
  'status500',
  'status503RetryAfter',
  'limitSeconds',
  'limitAbsurd',
  'malformed',
  'truncated',
  'oversized',
  'deep',
  'wrongLength',
  'echo',
  'redirect',
  'htmlPage',
];
/** Possible faults of a cancel. */
export const CANCEL_FAULTS: readonly HttpFault[] = HTTP_FAULTS.filter((fault) => fault !== 'backwardStatus');
