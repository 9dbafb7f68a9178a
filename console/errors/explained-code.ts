import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { errorWords } from './words';

/** An error code with what it means and what to do; in English where the reader's language does not have it. */
export function explainedCode(code: string, language: Language): Html {
  const isKnown = errorWords(code, language) !== undefined;
  return html`<code>${code}</code>${isKnown && ' – '}${explanation(code, language)}`;
}

/** What an error code means and what to do; nothing for a code of another version. */
export function explanation(code: string, language: Language): Html {
  const found = errorWords(code, language);
  if (found === undefined) return html``;
  const { words, isEnglish } = found;
  const text = withCommands(`${words.meaning} ${words.remedy}`);
  return isEnglish && language !== 'EN' ? html`<span lang="en">${text}</span>` : text;
}

/** A text in which commands stand between backticks. */
export const withCommands = (text: string): Html =>
  html`${text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
