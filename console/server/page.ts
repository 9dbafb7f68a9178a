import type { FastifyReply, FastifyRequest } from 'fastify';
import { html, type Html } from '../../web/html';
import { button, hidden } from '../../web/shell/forms';
import { keyList } from '../../web/shell/keys';
import { layout } from '../../web/shell/layout';
import { shellTexts } from '../../web/shell/texts';
import { textsOf } from '../texts';
import { readerOf, type Reader } from './reader';

/** The pages that the navigation leads to. */
export type Place = 'overview' | 'sessions' | 'payments';

export interface ConsolePage {
  readonly title: string;
  /** The first heading, where it is more than the title. */
  readonly heading?: Html;
  readonly content: Html;
  /** Which entry of the navigation is the current one. @default none of them */
  readonly place?: Place;
}

const NAVIGATION: readonly {
  readonly place: Place;
  readonly href: string;
}[] = [
  { place: 'overview', href: '/' },
  { place: 'sessions', href: '/sessions' },
  // Where there is a ledger.
  { place: 'payments', href: '/payments' },
];

/** Style and script are files of the console itself, so that nothing that stands in a page runs. */
const HEAD = html`<link rel="stylesheet" href="/console.css" />
  <script src="/console.js" defer></script>`;

/** Sends a page of the console, in the reader's language. */
export function sendConsolePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, heading, content, place }: ConsolePage,
): FastifyReply {
  const reader = readerOf(request);
  const { navigation } = textsOf(reader.language);
  const page = layout({
    language: reader.language,
    title,
    heading,
    product: 'paysession',
    head: HEAD,
    navigation: NAVIGATION.filter((entry) => entry.place !== 'payments' || reader.hasPayments).map(
      (entry) => ({
        text: navigation[entry.place],
        href: entry.href,
        isCurrent: entry.place === place,
      }),
    ),
    tools: html`${keyList(reader.language)} ${otherLanguage(request, reader)} ${whoIsHere(reader)}`,
    content,
  });
  return reply.type('text/html; charset=utf-8').send(`${page.text}\n`);
}

/** A link to this page in the other language, by that language's own name. */
function otherLanguage({ url }: FastifyRequest, { language }: Reader): Html {
  const other = language === 'EN' ? 'FR' : 'EN';
  const query = new URLSearchParams({ to: other, back: url });
  const code = other.toLowerCase();
  return html`<a href="/language?${query.toString()}" lang="${code}" hreflang="${code}"
    >${shellTexts(other).ownName}</a
  >`;
}

function whoIsHere({ operator, language, csrfToken, canLogOut }: Reader): Html {
  const { roles, logOut } = shellTexts(language);
  return html`<span class="who">${operator.name} <span class="soft">(${roles[operator.role]})</span></span> ${
      canLogOut &&
      html`<form method="post" action="/logout">
        ${hidden('csrf', csrfToken)} ${button(logOut, 'plain')}
      </form>`
    }`;
}
