/** What a session's workflow has its worker tell the ledger. */
import type { ErrorCode } from '../../errors/codes';
import type { KeyClaim } from '../activities/activities';
import type { FailureDetails, SessionResult } from '../state/session';
import type { DecisionFact, ParkedFact } from './facts';

/** How a session ended. */
export type ToldEnd = KeyClaim &
  (
    | { readonly result: SessionResult }
    | ({ readonly failure: ErrorCode } & Pick<FailureDetails, 'state' | 'stateHistory'>)
  );

/** That a session is parked, and what was decided about that. */
export interface ToldParking extends KeyClaim {
  readonly facts: readonly (ParkedFact | DecisionFact)[];
}
