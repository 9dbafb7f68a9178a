import type { SessionProblem } from '../../../src/protocol/state/problems';
import type { Standing } from '../../../src/protocol/state/standing';
import type { ButtonKind } from '../../../src/web/shell/forms';
import type { SessionView } from '../view';

/** An operator's actions on a session. */
export const ACT_NAMES = ['refresh', 'cancel', 'adopt', 'retry', 'abandon', 'handle', 'reveal'] as const;

export type ActName = (typeof ACT_NAMES)[number];

/** Actions that end a session have a button that looks dangerous. */
const KIND_OF_ACT: Readonly<Record<ActName, ButtonKind>> = {
  refresh: 'primary',
  cancel: 'danger',
  adopt: 'primary',
  retry: 'second',
  abandon: 'danger',
  handle: 'primary',
  reveal: 'second',
};

/** Returns the kind of an action's button. For a parked session, abandon is the dangerous one, and cancel is plain next to it. */
export const kindOfAct = (act: ActName, standing?: Standing): ButtonKind =>
  act === 'cancel' && standing === 'parked' ? 'plain' : KIND_OF_ACT[act];

const OPEN: readonly Standing[] = ['open', 'unsigned', 'unclear', 'unknownStatus'];

/** The standings in which an action applies. The session itself decides in the end. */
const STANDINGS: Readonly<Record<Exclude<ActName, 'reveal' | 'handle'>, readonly Standing[]>> = {
  refresh: [...OPEN, 'cancelling'],
  cancel: ['creating', 'parked', ...OPEN],
  adopt: ['parked'],
  retry: ['parked'],
  abandon: ['parked'],
};

/** Returns true if the action is offered for a session of this standing. */
export function isOffered(
  act: ActName,
  standing: Standing,
  view: Pick<SessionView, 'stored' | 'money'>,
): boolean {
  if (act === 'reveal') return view.stored?.input !== undefined;
  if (act === 'handle') return isReturnWaiting(view);
  return STANDINGS[act].includes(standing);
}

/** True if money of the session came back, and no operator has recorded what was done. */
export const isReturnWaiting = ({ money }: Pick<SessionView, 'money'>): boolean =>
  money?.returned !== undefined && money.handled === undefined;

/** The actions that fix a problem. */
export const REMEDIES: Readonly<Partial<Record<SessionProblem, readonly ActName[]>>> = {
  parked: ['adopt', 'retry', 'abandon'],
  serviceFailing: ['refresh'],
};

/** Returns the name of the text that describes a cancel's consequence. */
export function cancelMeets(
  standing: Standing,
): 'creating' | 'parked' | 'open' | 'unsigned' | 'over' | 'unknown' {
  if (standing === 'creating' || standing === 'parked' || standing === 'unsigned' || standing === 'unknown')
    return standing;
  // An unclear completion counts as unsigned: the service refuses to cancel it.
  if (standing === 'unclear') return 'unsigned';
  return standing === 'open' || standing === 'unknownStatus' || standing === 'cancelling' ? 'open' : 'over';
}
