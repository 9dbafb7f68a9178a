import { standingOf, type Standing } from '../../src/protocol/state/standing';
import { searchable } from '../../src/protocol/temporal/search-attributes';
import type { SessionView } from './view';

/** Where a session stands, by what it says; where it says nothing, by what Temporal's index has of it. The ledger tells of its money. */
export function standingOfView({ known, summary, record, money }: SessionView): Standing {
  const returned = money?.returned !== undefined;
  if (summary?.outcome === 'terminated' || record === 'open')
    return standingOf({ outcome: 'terminated', returned });
  const isCurrent = known?.state.phase === 'ended' || summary?.running !== false;
  return standingOf({ ...((isCurrent ? known?.state : undefined) ?? summary), returned });
}

/** These name the payment service's status themselves. */
const STATUS_OF: Readonly<Partial<Record<Standing, string>>> = {
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

/** The words of the payment service, and the code of a failure, that stand beside a standing: what it does not say already. */
export function wordsBeside(
  standing: Standing,
  { status, code, failure }: { readonly status?: string; readonly code?: string; readonly failure?: string },
): string {
  const told = status === STATUS_OF[standing] ? undefined : status;
  const fromService = [told, code].flatMap((word) => (word === undefined ? [] : [searchable(word)]));
  return [...fromService, ...(failure === undefined ? [] : [failure])].join(' ');
}
