import type { SandboxSession } from '../../sessions/session';
import type { Html } from '../../../web/html';
import { formatMoney } from '../../../web/language';
import type { FieldName, FlowRules, Problem } from '../steps/step-outcomes';
import { textsOf } from '../texts/languages';
import type { FlowTexts } from '../texts/texts';

/** What a screen shows of a session. */
export interface View {
  readonly session: SandboxSession;
  /** The merchant's name. */
  readonly merchant: string;
  readonly texts: FlowTexts;
  readonly problems: readonly { readonly field: FieldName; readonly message: string }[];
  /** What the payor typed, when the step has to be done again. */
  readonly entered: (name: FieldName) => string | undefined;
  /** What is wrong with a field. */
  readonly error: (name: FieldName) => string | undefined;
  readonly money: (amount: number) => string;
}

/** The inside of a step's form. */
export interface Screen {
  readonly heading: string;
  readonly body: Html;
  /** What helps with the form, below its buttons. */
  readonly help?: Html;
  /** Text of the button that goes on. */
  readonly primary: string;
  /** Text of the button that goes back, if there is one. */
  readonly back?: string;
}

export interface ViewSource {
  readonly session: SandboxSession;
  readonly merchant: string;
  readonly rules: FlowRules;
  readonly problems?: readonly Problem[];
  readonly entered?: (name: FieldName) => string;
}

export function viewOf({ session, merchant, rules, problems = [], entered }: ViewSource): View {
  const { language } = session.options.notificationPreferences;
  const texts = textsOf(language);
  const money = (amount: number) => formatMoney(amount, language);
  const { minimumAmount, maximumAmount } = session.state.bounds;
  const facts = {
    attemptsLeft: rules.maxLoginAttempts - session.flow.failedLogins,
    minimum: money(minimumAmount),
    maximum: money(maximumAmount),
  };
  const told = problems.map(({ field, why }) => ({ field, message: texts.problems[why](facts) }));
  return {
    session,
    merchant,
    texts,
    problems: told,
    entered: (name) => entered?.(name),
    error: (name) => told.find(({ field }) => field === name)?.message,
    money,
  };
}
