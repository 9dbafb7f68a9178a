import { html, type Html } from '../../../web/html';
import { amountText } from '../steps/amounts';
import { textField } from './fields';
import type { Screen, View } from './view';

export function amountScreen(view: View): Screen {
  const { session, texts } = view;
  const { state, options } = session;
  return {
    heading: state.amount === null ? texts.amounts.enter : texts.headings.amount,
    body: html`${amountField(view)}
    ${options.guarantee.enable && !state.amountOpen && html`<p>${texts.amounts.guaranteed}</p>`}`,
    primary: texts.actions.confirm,
    back: texts.actions.back,
  };
}

/** Where the payor may say the amount, a field; else the amount (contract A16, A40). */
export function amountField({ session, texts, error, entered, money }: View): Html {
  const { amount, amountOpen, bounds } = session.state;
  const { language } = session.options.notificationPreferences;
  if (!amountOpen && amount !== null) return html`<p>${texts.amounts.fixed}</p>`;
  const preset = amount === null ? '' : amountText(amount, language === 'FR' ? ',' : '.');
  return textField({
    name: 'amount',
    label: texts.amounts.label,
    hint: texts.amounts.bounds(money(bounds.minimumAmount), money(bounds.maximumAmount)),
    value: entered('amount') ?? preset,
    error: error('amount'),
    autocomplete: 'off',
    inputMode: 'decimal',
  });
}

/** The next best offer (contract A40). */
export function offerScreen({ session, texts, money }: View): Screen {
  return {
    heading: texts.headings.offer,
    body: html`<p>${texts.offer.intro(money(session.flow.offer ?? 0))}</p>`,
    primary: texts.actions.acceptOffer,
    back: texts.actions.otherAmount,
  };
}
