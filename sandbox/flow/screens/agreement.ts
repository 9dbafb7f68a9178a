import { maskedNumber } from '../../sessions/session';
import { html } from '../../../web/html';
import { checkbox, textField } from './fields';
import { INSTITUTIONS } from '../../sessions/banks';
import type { Screen, View } from './view';

/** The pre-authorized debit agreement, to be signed now or later (contract A56). */
export function agreementScreen({ session, texts, error, entered, money }: View): Screen {
  const { terms, agreed, signature, signatureHint } = texts.agreement;
  const { account, amount } = session.state;
  const bank = INSTITUTIONS.find(({ institutionCode }) => institutionCode === account?.institutionCode);
  const source = [bank?.name, account && maskedNumber(account)].filter(Boolean).join(' ');
  return {
    heading: texts.headings.agreement,
    body: html`${terms(source, money(amount ?? 0)).map((term) => html`<p>${term}</p>`)}
    ${checkbox('agreed', agreed, error('agreed'), entered('agreed') === 'yes')}
    ${textField({
      name: 'signature',
      label: signature,
      hint: signatureHint,
      value: entered('signature') ?? '',
      error: error('signature'),
      autocomplete: 'name',
    })}`,
    primary: texts.actions.sign,
  };
}
