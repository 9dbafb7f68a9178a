import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Language } from '../../web/language';
import type { Operator } from '../access/access';
import { languageOf } from './language';
import type { ConsoleOptions } from './options';

/** Who asks for a page, and how they read it. */
export interface Reader {
  readonly operator: Operator;
  readonly language: Language;
  /** Goes with every form, as the field `csrf`. */
  readonly csrfToken: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    reader?: Reader;
  }
}

/** Finds out who asks, before any page is made. */
export function introduceReaders(app: FastifyInstance, { access }: ConsoleOptions): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.reader = { operator: access.operator, language: languageOf(request), csrfToken: '' };
    done();
  });
}

/** Who asks for a page; every page has somebody. */
export function readerOf(request: FastifyRequest): Reader {
  if (request.reader === undefined) throw new Error('the request was not introduced');
  return request.reader;
}
