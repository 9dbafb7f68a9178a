import type { SandboxSession } from '../../sessions/session';
import type { Change } from '../../sessions/session-store';
import type { FlowRules, Problem, Submission } from './step-outcomes';
import { nextStep } from './next-step';
import type { PostedForm } from './posted-form';
import { isInteractive } from './steps';

/** What a call of the payor's browser changes, and what it is answered with. */
export interface Visit {
  /** `next` is whatever follows from the change: the next step, or the end. */
  readonly page: 'over' | 'scenario' | 'step' | 'exit' | 'next';
  readonly status: number;
  readonly change?: Change;
  /** What is shown with the step, besides the session. */
  readonly again?: Again;
}

/** Why the payor sees a step again. */
export interface Again {
  readonly problems?: readonly Problem[];
  readonly submission?: Submission;
  readonly outOfDate?: boolean;
}

/** The payor opens the page; with `starts`, that is the payor's first step. */
export function openPage(session: SandboxSession, { starts }: { readonly starts: boolean }): Visit {
  if (isFlowOver(session)) return { page: 'over', status: 410 };
  return {
    page: isInteractive(session) ? 'step' : 'scenario',
    status: 200,
    ...(starts &&
      session.state.status === 'Initiated' && {
        change: { flow: session.flow, events: [{ type: 'payorStarted' }] },
      }),
  };
}

/** The payor posts a form, which is read only once it can be of use: the payor goes on, or has to do the step again. */
export function takeForm(
  session: SandboxSession,
  readForm: (session: SandboxSession) => PostedForm,
  rules: FlowRules,
): Visit {
  if (isFlowOver(session)) return { page: 'over', status: 410 };
  const { submission, isCurrent } = readForm(session);
  if (!isInteractive(session)) return { page: 'scenario', status: 409 };
  // A form that was used, belongs to another step or session, or was made by someone else, changes nothing.
  if (!isCurrent) return { page: 'step', status: 409, again: { outOfDate: true } };
  const { change, problems } = nextStep(session, submission, rules);
  if (submission.action === 'leave') return { page: 'exit', status: 200, change };
  if (problems.length > 0) {
    return { page: 'step', status: 422, change, again: { problems, submission } };
  }
  return { page: 'next', status: 303, change };
}

/** There is nothing left to do; where a scenario plays the payor, it signs, too, if anyone does. */
function isFlowOver(session: SandboxSession): boolean {
  return session.state.status !== 'Initiated' && !isInteractive(session);
}
