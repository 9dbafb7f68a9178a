import type { Cell } from '../screen/table';
import { formatState } from '../screen/output';
import { colorsOf, type Screen } from '../screen/terminal';

interface ShownState {
  readonly status?: string;
  readonly code?: string;
  readonly paid?: boolean;
}

/** What colours a state: green is paid, red has failed, yellow has ended without payment, cyan goes on. */
export function styleOf(state: ShownState, screen: Screen = process.stdout): (text: string) => string {
  const { green, red, yellow, cyan } = colorsOf(screen);
  const { status = '', paid = looksPaid(state) } = state;
  if (paid) return green;
  if (HAS_FAILED.has(status)) return red;
  return ENDED_UNPAID.has(status) ? yellow : cyan;
}

/** As the service says it, and as a list does. */
const HAS_FAILED = new Set(['Failed', 'failed', 'terminated']);
const ENDED_UNPAID = new Set(['Completed', 'Cancelled', 'Expired']);

/** Nearly always right where nobody knows the session's kind. */
const looksPaid = ({ status, code = 'EFT0301' }: ShownState): boolean =>
  status === 'Completed' && code === 'EFT0301';

/** A state as a table's cell. */
export const stateCell = (state: ShownState): Cell => ({ text: formatState(state), style: styleOf(state) });

/** A state on a line. */
export const styledState = (state: ShownState): string => styleOf(state)(formatState(state));
