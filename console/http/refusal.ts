/** Why the console refuses a request, with the status that says so. */
const STATUS = {
  unreadable: 400,
  incompleteForm: 400,
  loginNeeded: 401,
  loginFailed: 401,
  notThroughProxy: 403,
  throughProxy: 403,
  noUser: 403,
  noRole: 403,
  viewer: 403,
  unknownHost: 403,
  otherSite: 403,
  otherOrigin: 403,
  staleForm: 403,
  notFound: 404,
  wrongMethod: 405,
  sentBefore: 409,
  tooLarge: 413,
  tooManyLogins: 429,
  tooManyLooks: 429,
  failed: 500,
  crowded: 503,
  providerUnavailable: 503,
} as const;

export type RefusalReason = keyof typeof STATUS;

/** Two values that ought to be the same: what an identity provider has, and what is expected here. */
export interface Differing {
  readonly name: string;
  readonly there: string;
  readonly here: string;
  /** The setting that the value here comes from, or this machine's clock. */
  readonly from: string;
}

/** Where a time comes from that is not the provider's. */
export const CLOCK = 'clock';

/** Thrown to answer with a page that says why, in the reader's language. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(
    readonly reason: RefusalReason,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Shown on the page: a person can correct one of the values. */
    readonly differing?: Differing,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.status = STATUS[reason];
  }
}
