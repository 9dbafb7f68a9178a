import { isErrorCode, rowOf } from '../../src/errors';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { textsOf } from './texts/languages';

/** An error code with what it means and what to do; in English where the reader's language does not have it. */
export function explainedCode(code: string, language: Language): Html {
  const own = isErrorCode(code) ? textsOf(language).errors[code] : undefined;
  const row = own ?? rowOf(code);
  const words = row === undefined ? html`` : html`${row.meaning} ${row.remedy}`;
  return html`<code>${code}</code> ${own === undefined ? html`<span lang="en">${words}</span>` : words}`;
}
