/** The outcomes of calls to the payment service. Activities hand them to workflows unchanged. */
import type { ServiceFailure } from '../../errors/failures';
import type { SessionIdentity } from '../../contract/identity';
import type { SessionSnapshot } from '../../contract/statuses';

/** What became of a create call: `created`, or how far it got. */
export type CreateOutcome =
  | {
      readonly outcome: 'created';
      readonly sessionId: string;
      /** Echo of the request's reference (contract A10). */
      readonly referenceId: string | null;
      readonly checkoutUrl: string;
    }
  | FailedCreate;

export interface FailedCreate {
  /**
   * `notSent`: nothing was created, and the same call may be repeated. `rejected`: nothing was created, and the same
   * call would be rejected again. `unknown`: the service may or may not have created a session.
   */
  readonly outcome: 'notSent' | 'rejected' | 'unknown';
  readonly failure: ServiceFailure;
  /** The session that an answer with the outcome `unknown` names: the service may have created it. */
  readonly sessionId?: string;
}

/** A session that was looked up by its id. */
export interface IdentifiedSession {
  readonly snapshot: SessionSnapshot;
  readonly identity: SessionIdentity;
}
