import { html, type Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

/** A text beside which the script puts a button that copies it; `what` it is names the button. */
export const copyable = (text: string, what: string, language: Language): Html =>
  html`<span data-copy="${shellTexts(language).copyThis(what)}">${text}</span>`;
