import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { type ErrorCode, rowOf } from '../../src/errors';
import { ERRORS_FR } from './errors-fr';
import type { Explained, ShownCode } from './explained';

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

/** Where the command line says which command helps, a page says what to do on it. */
const OWN_EN: Readonly<Partial<Record<ErrorCode, Explained>>> = {
  CANCEL_PENDING: {
    meaning: 'The cancel is recorded and will reach the payment service, but there is no answer yet.',
    remedy: 'Wait: this page will show what comes of it. Check that a worker is running.',
  },
  SESSION_CONTINUED: {
    meaning: 'The session moved to a new run before it could answer. What was asked for continues.',
    remedy: 'Ask again.',
  },
  SESSION_MISMATCH: {
    meaning: 'That session belongs to a different payment: its type, direction, reference or amount differs.',
    remedy: 'Find the right session at the payment service, and adopt it by its id.',
  },
  SESSION_FOLLOWED: {
    meaning: 'That session is, or was, followed under another key: its payment belongs to that key.',
    remedy: 'Find the session that this create opened at the payment service, and adopt it by its id.',
  },
  CREATE_OUTCOME_UNKNOWN: {
    meaning: 'The create was sent, but its answer was lost. The session waits for a decision.',
    remedy: 'Look for the session in the payment service’s own records, then decide.',
  },
  SERVICE_INTERRUPTED: {
    meaning: 'The connection failed or timed out after the call was sent.',
    remedy: 'Reads and cancels are repeated. A create waits for a decision.',
  },
  INVALID_INPUT: {
    meaning: 'The session cannot accept this, or not at this point.',
    remedy: 'Check the session’s state first.',
  },
};

/** What an error code means and what to do, in the reader's language; `undefined` for a code of another version. */
function errorWords(
  code: string,
  language: Language,
): { readonly words: Explained; readonly isEnglish: boolean } | undefined {
  const french = Object.hasOwn(ERRORS_FR, code) ? ERRORS_FR[code as ShownCode] : undefined;
  if (language === 'FR' && french !== undefined) return { words: french, isEnglish: false };
  const words = OWN_EN[code as ErrorCode] ?? rowOf(code);
  return words && { words, isEnglish: true };
}
