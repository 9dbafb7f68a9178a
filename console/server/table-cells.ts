import { html, type Html } from '../../web/html';
import { sessionPath } from '../http/paths';

/** A session's key as a link to its page, on one line: the end of a long one is left out, and stands in its title. */
export const keyLink = (key: string): Html =>
  html`<a class="key" href="${sessionPath(key)}" title="${key}">${key}</a>`;

/** Such as a status and its code. */
const LONGEST_ON_A_LINE = 24;

/** The class that keeps a text on one line; what somebody makes up may be longer, and wraps. */
export const onOneLine = (text: string): Html | false =>
  text.length <= LONGEST_ON_A_LINE && html`class="nowrap"`;
