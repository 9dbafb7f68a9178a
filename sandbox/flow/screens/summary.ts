import { html, type Html } from '../../../web/html';
import { formatMoney } from '../../../web/language';
import { maskedNumber, type SandboxSession } from '../../sessions/session';
import { textsOf } from '../texts/languages';

export interface Receipt {
  readonly session: SandboxSession;
  readonly merchant: string;
}

/** What is known of the payment: amount, destination (contract A39) and account. */
export const paymentSummary = ({ session }: Pick<Receipt, 'session'>): Html => summary(linesOf(session));

/** What a payor keeps: with whom it was, and the reference by which the merchant finds it. */
export function receipt({ session, merchant }: Receipt): Html {
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
