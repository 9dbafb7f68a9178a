import { maskedNumber, type SandboxSession } from '../sessions/session';
import { html, type Html } from '../../src/web/html';
import { formatMoney } from '../../src/web/language';
import { textsOf, type FlowTexts } from './texts';
import type { FieldName, FlowRules, Problem } from './steps';

/** Data of a session's screen. */
export interface View {
  readonly session: SandboxSession;
  /** The merchant's name. */
  readonly merchant: string;
  readonly texts: FlowTexts;
  readonly problems: readonly { readonly field: FieldName; readonly message: string }[];
  /** Returns what the payor typed, if they have to repeat the step. */
  readonly entered: (name: FieldName) => string | undefined;
  /** Returns the error of a field. */
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

/** Summary of the payment as far as it is known: amount, destination (contract A39) and account. */
export const paymentSummary = ({ session }: Pick<View, 'session'>): Html => summary(linesOf(session));

/** A receipt for the payor: the merchant's name, and the reference by which the merchant finds the payment. */
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
