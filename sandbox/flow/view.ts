import { maskedNumber, type SandboxSession } from '../sessions/session';
import { html, type Html } from '../../src/web/html';
import { formatMoney, type Language } from '../../src/web/language';
import { textsOf, type FlowTexts } from './texts';
import type { FieldName, FlowRules, Problem, Submission } from './steps';

/** The reason why the payor sees a step again. */
export interface Again {
  readonly problems?: readonly Problem[];
  readonly submission?: Submission;
  /** True if the payor sent a form that is outdated or was never the current one. */
  readonly outOfDate?: boolean;
}

/** Data of a session's screen. */
export interface View {
  readonly session: SandboxSession;
  /** The merchant's name. */
  readonly merchant: string;
  readonly texts: FlowTexts;
  readonly outOfDate: boolean;
  readonly problems: readonly { readonly field: FieldName; readonly message: string }[];
  /** Returns the payor's last entry in a field, if the payor has to repeat the step. */
  readonly entered: (name: FieldName) => string | undefined;
  /** Returns the error of a field. */
  readonly error: (name: FieldName) => string | undefined;
  readonly money: (amount: number) => string;
}

export interface ViewSource {
  readonly session: SandboxSession;
  readonly merchant: string;
  readonly rules: FlowRules;
  readonly again: Again | undefined;
}

export function viewOf({ session, merchant, rules, again = {} }: ViewSource): View {
  const { problems = [], submission, outOfDate = false } = again;
  const { language, texts } = languageOf(session);
  const money = (amount: number) => formatMoney(amount, language);
  const { minimumAmount, maximumAmount } = session.state.bounds;
  const facts = {
    attemptsLeft: rules.maxLoginAttempts - session.flow.failedLogins,
    minimum: money(minimumAmount),
    maximum: money(maximumAmount),
  };
  const explained = problems.map(({ field, why }) => ({ field, message: texts.problems[why](facts) }));
  return {
    session,
    merchant,
    texts,
    outOfDate,
    problems: explained,
    entered: (name) => submission?.field(name),
    error: (name) => explained.find(({ field }) => field === name)?.message,
    money,
  };
}

/** Returns the language of a session's pages, and their texts. */
export function languageOf({ options }: SandboxSession): {
  readonly language: Language;
  readonly texts: FlowTexts;
} {
  const { language } = options.notificationPreferences;
  return { language, texts: textsOf(language) };
}

/** Returns the payment as far as it is known: amount, destination (contract rule A39 in docs/contract.md) and account. */
export const paymentSummary = ({ session }: Pick<View, 'session'>): Html => summary(linesOf(session));

/** Returns a receipt: the payment, the merchant's name, and the reference by which the merchant finds the payment. */
export function receipt({ session, merchant }: Pick<View, 'session' | 'merchant'>): Html {
  const { referenceId, sessionId } = session;
  const { texts } = languageOf(session);
  return summary([
    [texts.merchant, merchant],
    ...linesOf(session),
    [texts.reference, referenceId ?? sessionId],
  ]);
}

type Line = readonly [label: string, text: string | null];

function linesOf(session: SandboxSession): readonly Line[] {
  const { state, toAccount } = session;
  const { language, texts } = languageOf(session);
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
