import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The languages of the shop. A session's request uses the same codes as here, so the hosted flow and its mails are in
 * the buyer's language.
 */
export type Language = 'EN' | 'FR';

/** A text in every language. A text without its French version does not compile. */
export type Text = Readonly<Record<Language, string>>;

/** The person who reads a page. */
export interface Reader {
  readonly language: Language;
  /** The address of the same page in the other language. */
  readonly otherHref: string;
}

export const LOCALES = { EN: 'en-CA', FR: 'fr-CA' } as const satisfies Text;

const COOKIE = 'shop-language';
const ONE_YEAR_S = 31_536_000;

/**
 * Returns the reader of a page. The language is the one that the reader chooses with this request, or has chosen
 * before. Without a choice, it is the browser's preferred language.
 */
export function readerOf(request: FastifyRequest): Reader {
  const language = chosenOf(request) ?? rememberedOf(request) ?? preferredOf(request);
  const query = queryOf(request);
  query.set('language', language === 'EN' ? 'FR' : 'EN');
  return { language, otherHref: `?${query.toString()}` };
}

/** If the reader has clicked a page's link to the other language, stores this choice in a cookie. */
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

/**
 * Returns the browser's preferred language. Browsers name it first. If the browser names no language of the shop,
 * returns English.
 */
function preferredOf({ headers }: FastifyRequest): Language {
  const match = /(?:^|,) *(en|fr)\b/i.exec(headers['accept-language'] ?? '');
  return match?.[1]?.toLowerCase() === 'fr' ? 'FR' : 'EN';
}
