import type { Language } from '../../src/web/language';

/** The reasons for which the console refuses a request, each with its status. */
const STATUS = {
  unreadable: 400,
  incompleteForm: 400,
  notPreviewed: 400,
  loginNeeded: 401,
  loginFailed: 401,
  notThroughProxy: 403,
  throughProxy: 403,
  noUser: 403,
  noRole: 403,
  noName: 403,
  viewer: 403,
  unknownHost: 403,
  otherSite: 403,
  otherOrigin: 403,
  staleForm: 403,
  notFound: 404,
  wrongMethod: 405,
  sentBefore: 409,
  otherEnvironment: 409,
  tooLarge: 413,
  fileTooLarge: 413,
  tooManyLogins: 429,
  tooManyLooks: 429,
  failed: 500,
  crowded: 503,
  providerUnavailable: 503,
} as const;

export type RefusalReason = keyof typeof STATUS;

/** Thrown to answer with a page that explains the refusal, in the reader's language. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(
    readonly reason: RefusalReason,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Adds a sentence to the page, in the reader's language. */
    readonly detail?: (language: Language) => string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.status = STATUS[reason];
  }
}
