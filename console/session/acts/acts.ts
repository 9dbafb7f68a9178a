import type { SessionProblem } from '../../../src/protocol/state/problems';
import type { Standing } from '../../../src/protocol/state/standing';
import type { ButtonKind } from '../../../web/shell/forms';
import type { SessionView } from '../view';

/** What an operator may do to a session. */
export const ACT_NAMES = ['refresh', 'cancel', 'adopt', 'retry', 'abandon', 'reveal'] as const;

export type ActName = (typeof ACT_NAMES)[number];

/** What cannot be taken back looks like it. */
const KIND_OF_ACT: Readonly<Record<ActName, ButtonKind>> = {
  refresh: 'primary',
  cancel: 'danger',
  adopt: 'primary',
  retry: 'second',
  abandon: 'danger',
  reveal: 'second',
};

/** How an act's button looks: where giving up is the usual end, a cancel is no second danger beside it. */
export const kindOfAct = (act: ActName, standing?: Standing): ButtonKind =>
  act === 'cancel' && standing === 'parked' ? 'plain' : KIND_OF_ACT[act];

const OPEN: readonly Standing[] = ['open', 'unsigned', 'unclear', 'unknownStatus'];

/** Where an act has something to do; the session itself has the last word. */
const STANDINGS: Readonly<Record<Exclude<ActName, 'reveal'>, readonly Standing[]>> = {
  refresh: [...OPEN, 'cancelling'],
  cancel: ['creating', 'parked', ...OPEN],
  adopt: ['parked'],
  retry: ['parked'],
  abandon: ['parked'],
};

/** Whether the act is offered where a session stands so. */
export function isOffered(
  act: ActName,
  standing: Standing,
  { stored }: { readonly stored?: SessionView['stored'] | undefined },
): boolean {
  if (act === 'reveal') return stored !== undefined && 'input' in stored;
  return STANDINGS[act].includes(standing);
}

/** The acts that are the remedy of a problem. */
export const REMEDIES: Readonly<Partial<Record<SessionProblem, readonly ActName[]>>> = {
  parked: ['adopt', 'retry', 'abandon'],
  serviceFailing: ['refresh'],
};

/** What a cancel meets, by where the session stands. */
export function cancelMeets(standing: Standing): 'creating' | 'parked' | 'open' | 'unsigned' | 'over' {
  if (standing === 'creating' || standing === 'parked' || standing === 'unsigned') return standing;
  // A completion that is unclear counts as one: the service refuses to cancel it.
  if (standing === 'unclear') return 'unsigned';
  return standing === 'open' || standing === 'unknownStatus' || standing === 'cancelling' ? 'open' : 'over';
}
