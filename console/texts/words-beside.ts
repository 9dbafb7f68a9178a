import type { Standing } from '../../src/protocol/state/standing';
import { searchable } from '../../src/protocol/temporal/visibility';

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
