import { html, type Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

export interface Pager {
  readonly language: Language;
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** Where in the list this page is, such as “51–100 of 240”. */
  readonly position?: string;
}

/** The way to the rest of a list, or nothing where there is no rest. */
export function pager({ language, previous, next, position }: Pager): Html {
  if (previous === undefined && next === undefined && position === undefined) return html``;
  const texts = shellTexts(language);
  return html`<nav class="pager" aria-label="${texts.morePages}">
    ${previous !== undefined && html`<a href="${previous}" rel="prev">${texts.previous}</a>`}
    ${position !== undefined && html`<span class="soft">${position}</span>`}
    ${next !== undefined && html`<a href="${next}" rel="next">${texts.next}</a>`}
  </nav>`;
}
