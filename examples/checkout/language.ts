import type { FastifyReply, FastifyRequest } from 'fastify';

/** The languages of the shop, as a session's request names them. The hosted flow and its mails are in the buyer's language, too. */
export type Language = 'EN' | 'FR';

/** A text in every language: a text without its French version does not compile. */
export type Text = Readonly<Record<Language, string>>;

/** The reader of a page. */
export interface Reader {
  readonly language: Language;
  /** The address of the same page in the other language. */
  readonly otherHref: string;
}

export const LOCALES = { EN: 'en-CA', FR: 'fr-CA' } as const satisfies Text;

const COOKIE = 'shop-language';
const ONE_YEAR_S = 31_536_000;

/** Returns the reader. The language is the one that the reader has chosen, now or before, or else the browser's. */
export function readerOf(request: FastifyRequest): Reader {
  const language = chosenOf(request) ?? rememberedOf(request) ?? preferredOf(request);
  const query = queryOf(request);
  query.set('language', language === 'EN' ? 'FR' : 'EN');
  return { language, otherHref: `?${query.toString()}` };
}

/** Remembers in a cookie the language that the reader has chosen now, by a page's link to the other language. */
export function rememberChoice(request: FastifyRequest, reply: FastifyReply): void {
  const chosen = chosenOf(request);
  if (chosen === undefined) return;
  void reply.header(
    'set-cookie',
    `${COOKIE}=${chosen}; Path=/; Max-Age=${ONE_YEAR_S}; HttpOnly; SameSite=Lax`,
  );
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URLSearchParams(url.split('?')[1]);

const chosenOf = (request: FastifyRequest): Language | undefined => known(queryOf(request).get('language'));

function rememberedOf({ headers }: FastifyRequest): Language | undefined {
  const cookies = (headers.cookie ?? '').split(/; */).map((cookie) => cookie.split('='));
  return known(cookies.find(([name]) => name === COOKIE)?.[1]);
}

const known = (text: string | null | undefined): Language | undefined =>
  text === 'EN' || text === 'FR' ? text : undefined;

/** Returns the first of the shop's languages that the browser names, or else English. Browsers name the preferred one first. */
function preferredOf({ headers }: FastifyRequest): Language {
  const match = /(?:^|,) *(en|fr)\b/i.exec(headers['accept-language'] ?? '');
  return match?.[1]?.toLowerCase() === 'fr' ? 'FR' : 'EN';
}
