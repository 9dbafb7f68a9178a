import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Language } from '../../src/web/language';
import { cookieOf, cookieText } from './cookies';
import { safePath, queryOf } from './paths';

const COOKIE = 'language';
const ONE_YEAR_S = 31_536_000;

/** Returns the language that the reader has chosen. Without a choice, returns the language that the browser prefers, or English. */
export function languageOf(request: FastifyRequest): Language {
  const chosen = cookieOf(request, COOKIE);
  return isLanguage(chosen) ? chosen : preferredOf(request.headers['accept-language'] ?? '');
}

/** Adds the route that stores a choice: `GET /language?to=FR&back=/sessions`. `isSecure` limits the cookie to https. */
export function languageRoute(app: FastifyInstance, isSecure: boolean): void {
  app.get('/language', { config: { isOpen: true } }, (request, reply) => {
    const query = queryOf(request);
    const to = query.get('to') ?? '';
    if (isLanguage(to))
      reply.header('set-cookie', cookieText({ name: COOKIE, value: to, maxAgeS: ONE_YEAR_S, isSecure }));
    return reply.redirect(safePath(query.get('back') ?? undefined), 303);
  });
}

const isLanguage = (text: string | undefined): text is Language => text === 'EN' || text === 'FR';

function preferredOf(header: string): Language {
  const wishes = header.split(',', 20).map((wish) => {
    const [tag = '', ...parameters] = wish
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { language: tag.split('-')[0], weight: weight === undefined ? 1 : Number(weight) };
  });
  const known = wishes.filter(({ language, weight }) => /^(en|fr)$/.test(language ?? '') && weight > 0);
  // The sort is stable, so of two languages with equal weights, the first one wins.
  return known.sort((a, b) => b.weight - a.weight)[0]?.language === 'fr' ? 'FR' : 'EN';
}
