/** What is asked of an error code. A blank cell is the usual answer. */
export interface ErrorCodeRow {
  /** What it means. */
  readonly meaning: string;
  /** What to do next. */
  readonly remedy: string;
  /** How the command line exits; `--help` lists the numbers. */
  readonly exit: 'badInput' | 'diverged' | 'notFound' | 'conflict' | 'unavailable' | 'sessionFailed';
  /**
   * Whether the worker retries an activity that fails with it: it passes by itself, or on another worker. A create that the
   * service refuses is final whatever its code, for it doesn't fail its activity. @default false
   */
  readonly repeated?: true;
  /**
   * Which error a Nexus call is refused with. @default none: the operation itself fails, for the code tells what became of
   * the session
   */
  readonly nexus?: 'BAD_REQUEST' | 'NOT_FOUND' | 'UNAVAILABLE';
  /**
   * Whether a failed call to the payment service counts towards an outage, which pauses an account's calls: `unlessSlow`
   * where only its session may hang, `unclear` where the call tells neither way.
   */
  readonly outage?: 'yes' | 'no' | 'unlessSlow' | 'unclear';
  /** The kind of anomaly that a failed call leaves in the session's record. @default none */
  readonly anomaly?: 'sessionUnknown' | 'wrongSession';
}

/** A failed call to the payment service always says whether it counts towards an outage. */
export type ServiceCodeRow = ErrorCodeRow & Required<Pick<ErrorCodeRow, 'outage'>>;
