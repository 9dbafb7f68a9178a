import type { SessionProblem } from '../../../src/protocol/state/problems';
import type { Standing } from '../../../src/protocol/state/standing';
import type { ButtonKind } from '../../../src/web/shell/forms';
import type { SessionView } from '../view';

/** An operator's actions on a session. */
export const ACT_NAMES = ['refresh', 'cancel', 'adopt', 'retry', 'abandon', 'handle', 'reveal'] as const;

export type ActName = (typeof ACT_NAMES)[number];

/** The kind of each action's button. Actions that end a session have a button that looks dangerous. */
const KIND_OF_ACT: Readonly<Record<ActName, ButtonKind>> = {
  refresh: 'primary',
  cancel: 'danger',
  adopt: 'primary',
  retry: 'second',
  abandon: 'danger',
  handle: 'primary',
  reveal: 'second',
};

/**
 * Returns the kind of an action's button. On a parked session, only `abandon` looks dangerous, and the button for `cancel` next to it is
 * plain.
 */
export const kindOfAct = (act: ActName, standing?: Standing): ButtonKind =>
  act === 'cancel' && standing === 'parked' ? 'plain' : KIND_OF_ACT[act];

const OPEN: readonly Standing[] = ['open', 'unsigned', 'unclear', 'unknownStatus'];

/** The standings (situations of a session) in which an action is offered. The session itself finally decides. */
const STANDINGS: Readonly<Record<Exclude<ActName, 'reveal' | 'handle'>, readonly Standing[]>> = {
  refresh: [...OPEN, 'cancelling'],
  cancel: ['creating', 'parked', ...OPEN],
  adopt: ['parked'],
  retry: ['parked'],
  abandon: ['parked'],
};

/** True if the action is offered for a session in this standing. */
export function isOffered(
  act: ActName,
  standing: Standing,
  view: Pick<SessionView, 'stored' | 'money'>,
): boolean {
  if (act === 'reveal') return view.stored?.input !== undefined;
  if (act === 'handle') return isReturnWaiting(view);
  return STANDINGS[act].includes(standing);
}

/** True if the session's money came back and no operator has recorded what was done about it. */
export const isReturnWaiting = ({ money }: Pick<SessionView, 'money'>): boolean =>
  money?.returned !== undefined && money.handled === undefined;

/** The actions that can solve each problem. */
export const REMEDIES: Readonly<Partial<Record<SessionProblem, readonly ActName[]>>> = {
  parked: ['adopt', 'retry', 'abandon'],
  serviceFailing: ['refresh'],
};

/** Returns the name of the text that describes the consequence of a cancellation. */
export function cancelTextName(
  standing: Standing,
): 'creating' | 'parked' | 'open' | 'unsigned' | 'over' | 'unknown' {
  if (standing === 'creating' || standing === 'parked' || standing === 'unsigned' || standing === 'unknown')
    return standing;
  // An unclear completion has the same text as an unsigned one, because the service refuses to cancel both.
  if (standing === 'unclear') return 'unsigned';
  return standing === 'open' || standing === 'unknownStatus' || standing === 'cancelling' ? 'open' : 'over';
}
