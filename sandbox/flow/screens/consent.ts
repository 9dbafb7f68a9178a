import { html } from '../../../web/html';
import type { Screen, View } from './view';

export function consentScreen({ texts }: View): Screen {
  const { intro, items, note } = texts.consent;
  return {
    heading: texts.headings.consent,
    body: html`<p>${intro}</p>
      <ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>
      <p>${note}</p>`,
    primary: texts.actions.agree,
  };
}
