import type { FastifyReply, FastifyRequest } from 'fastify';
import { returnReason } from '../src/contract/return-codes';
import { rowOf } from '../src/errors';
import { STANDINGS, type Standing } from '../src/protocol/state/standing';
import { html, type Html } from '../src/web/html';
import type { Language } from '../src/web/language';
import { button, hidden } from '../src/web/shell/forms';
import { layout, keyList } from '../src/web/shell/layout';
import { badge, LONGEST_ON_A_LINE } from '../src/web/shell/parts';
import { shellTexts } from '../src/web/shell/texts';
import { readerOf, type Reader } from './access/reader';
import { customerPath, sessionPath } from './http/paths';
import { textsOf } from './texts';

/** The pages in the navigation, in their order, with their addresses. */
const NAVIGATION = {
  overview: '/',
  sessions: '/sessions',
  payments: '/payments',
  reconciliation: '/reconciliation',
} as const;

export type Place = keyof typeof NAVIGATION;

/** Pages that need a ledger. */
const LEDGER_PAGES: readonly Place[] = ['payments', 'reconciliation'];

export interface ConsolePage {
  readonly title: string;
  /** The first heading, if it differs from the title. */
  readonly heading?: Html;
  readonly content: Html;
  /** The current entry of the navigation. @default none */
  readonly place?: Place;
}

/** Style and script are files, because the content security policy forbids inline ones. */
const HEAD = html`<link rel="stylesheet" href="/console.css" />
  <script src="/console.js" defer></script>`;

/** Sends a page of the console, in the reader's language. */
export function sendConsolePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, heading, content, place }: ConsolePage,
): FastifyReply {
  const reader = readerOf(request);
  const texts = textsOf(reader.language);
  const page = layout({
    language: reader.language,
    title,
    heading,
    product: 'paysession',
    head: HEAD,
    navigation: (Object.keys(NAVIGATION) as Place[])
      .filter((other) => reader.hasPayments || !LEDGER_PAGES.includes(other))
      .map((other) => ({ text: texts[other].title, href: NAVIGATION[other], isCurrent: other === place })),
    tools: html`${keyList(reader.language)} ${otherLanguage(request, reader)} ${userPanel(reader)}`,
    content,
  });
  return reply.type('text/html; charset=utf-8').send(`${page.text}\n`);
}

/** Renders the link to this page in the other language. The link's text is the name of that language in that language. */
function otherLanguage({ url }: FastifyRequest, { language }: Reader): Html {
  const other = language === 'EN' ? 'FR' : 'EN';
  const query = new URLSearchParams({ to: other, back: url });
  const code = other.toLowerCase();
  return html`<a href="/language?${query.toString()}" lang="${code}" hreflang="${code}"
    >${shellTexts(other).ownName}</a
  >`;
}

function userPanel({ operator, language, csrfToken, canLogOut }: Reader): Html {
  const { roles, logOut } = shellTexts(language);
  return html`<span class="who">${operator.name} <span class="soft">(${roles[operator.role]})</span></span> ${
      canLogOut &&
      html`<form method="post" action="/logout">
        ${hidden('csrf', csrfToken)} ${button(logOut, 'plain')}
      </form>`
    }`;
}

/** Renders an error code with its meaning and its remedy. */
export function explainedCode(code: string, language: Language): Html {
  const isKnown = rowOf(code) !== undefined;
  return html`<code>${code}</code>${isKnown && ' – '}${explanation(code, language)}`;
}

/**
 * Returns the meaning and the remedy of an error code. Codes that the console does not expect have only English texts. A code of another
 * version has none, and the result is empty.
 */
export function explanation(code: string, language: Language): Html {
  const { errors } = textsOf(language);
  const expected = Object.hasOwn(errors, code) ? errors[code as keyof typeof errors] : undefined;
  const words = expected ?? rowOf(code);
  if (words === undefined) return html``;
  const text = withCommands(`${words.meaning} ${words.remedy}`);
  return expected === undefined && language !== 'EN' ? html`<span lang="en">${text}</span>` : text;
}

/** Renders the code of a payment's return, with its meaning if the code is known. Empty without a code. */
export function explainedReturn(code: string | undefined, language: Language): Html {
  if (code === undefined) return html``;
  const reason = returnReason(code);
  return html`<code>${code}</code>${reason !== undefined && ` – ${reason.meaning[language]}`}`;
}

/** Marks up a text whose commands are between backticks. */
export const withCommands = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;

/** Renders a session's standing, its situation in a few words, such as “Waiting for a decision”. */
export const standingBadge = (standing: Standing, language: Language): Html =>
  badge(textsOf(language).standings[standing].heading, STANDINGS[standing]);

/** Links a session's key to the session's page, on one line. A long key is cut, and the link's title shows the whole key. */
export const keyLink = (key: string): Html =>
  html`<a class="key" href="${sessionPath(key)}" title="${key}">${key}</a>`;

/** Links to all payments, or to all sessions, of a customer. */
export const customerLink = (customer: string, list: 'payments' | 'sessions' = 'payments'): Html =>
  html`<a href="${customerPath(customer, list)}" ${onOneLine(customer)}>${customer}</a>`;

/** Returns a text's class: a short text stays on one line, and a longer one wraps, even without a space. */
export const onOneLine = (text: string, longest = LONGEST_ON_A_LINE): Html =>
  text.length <= longest ? html`class="nowrap"` : html`class="name"`;
