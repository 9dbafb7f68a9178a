import { rowOf } from '../../src/errors';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { textsOf } from '../texts';

/** An error code with what it means and what to do. */
export function explainedCode(code: string, language: Language): Html {
  const isKnown = rowOf(code) !== undefined;
  return html`<code>${code}</code>${isKnown && ' – '}${explanation(code, language)}`;
}

/**
 * What an error code means and what to do, in English for a code that the console does not expect; nothing for one of another
 * version.
 */
export function explanation(code: string, language: Language): Html {
  const { errors } = textsOf(language);
  const expected = Object.hasOwn(errors, code) ? errors[code as keyof typeof errors] : undefined;
  const words = expected ?? rowOf(code);
  if (words === undefined) return html``;
  const text = withCommands(`${words.meaning} ${words.remedy}`);
  return expected === undefined && language !== 'EN' ? html`<span lang="en">${text}</span>` : text;
}

/** A text in which commands stand between backticks. */
export const withCommands = (text: string): Html =>
  html`${text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
