import { standingOf, type Standing } from '../../src/protocol/state/standing';
import type { SessionView } from './view';

/** Where a session stands, by what it says; where it says nothing, by what Temporal's index has of it. The ledger tells of its money. */
export function standingOfView({ known, summary, record, money }: SessionView): Standing {
  const returned = money?.returned !== undefined;
  if (summary?.outcome === 'terminated' || record === 'open')
    return standingOf({ outcome: 'terminated', returned });
  const isCurrent = known?.state.phase === 'ended' || summary?.running !== false;
  return standingOf({ ...((isCurrent ? known?.state : undefined) ?? summary), returned });
}
