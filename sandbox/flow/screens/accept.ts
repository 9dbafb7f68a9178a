import { html } from '../../../web/html';
import type { Screen, View } from './view';
import { accountChoices } from './account';
import { amountField } from './amount';

/** Account and amount of an e-Transfer. */
export function acceptScreen(view: View): Screen {
  return {
    heading: view.texts.headings.accept,
    body: html`${accountChoices(view)} ${amountField(view)}`,
    primary: view.texts.actions.accept,
  };
}
