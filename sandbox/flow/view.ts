import { maskedNumber, type SandboxSession } from '../sessions/session';
import { html, type Html } from '../../src/web/html';
import { formatMoney } from '../../src/web/language';
import { textsOf, type FlowTexts } from './texts';
import type { FieldName, FlowRules, Problem } from './steps';

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

/** What is known of the payment: amount, destination (contract A39) and account. */
export const paymentSummary = ({ session }: Pick<View, 'session'>): Html => summary(linesOf(session));

/** What a payor keeps: with whom it was, and the reference by which the merchant finds it. */
export function receipt({ session, merchant }: Pick<View, 'session' | 'merchant'>): Html {
  const { options, referenceId, sessionId } = session;
  const texts = textsOf(options.notificationPreferences.language);
  return summary([
    [texts.merchant, merchant],
    ...linesOf(session),
    [texts.reference, referenceId ?? sessionId],
  ]);
}

type Line = readonly [label: string, text: string | null];

function linesOf({ state, toAccount, options }: SandboxSession): readonly Line[] {
  const { language } = options.notificationPreferences;
  const texts = textsOf(language);
  return [
    [texts.amount, state.amount === null ? null : formatMoney(state.amount, language)],
    [texts.toAccount, toAccount],
    [texts.fromAccount, state.account === undefined ? null : maskedNumber(state.account)],
  ];
}

function summary(lines: readonly Line[]): Html {
  const known = lines.filter(([, text]) => text !== null);
  if (known.length === 0) return html``;
  return html`<dl class="summary">
    ${known.map(
      ([label, text]) =>
        html`<dt>${label}</dt>
          <dd>${text}</dd>`,
    )}
  </dl>`;
}
