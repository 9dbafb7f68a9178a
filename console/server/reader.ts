import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FormTokens } from '../../web/forms';
import type { Language } from '../../web/language';
import type { Operator } from '../access/access';
import type { Gate, Visitor } from '../access/gate';
import { languageOf } from '../http/language';
import { Refusal } from '../http/refusal';
import { safePath } from '../http/safe-path';

/** Who asks for a page, and how they read it. */
export interface Reader {
  readonly operator: Operator;
  readonly language: Language;
  /** Goes with every form, as the field `csrf`. */
  readonly csrfToken: string;
  /** Whether there is a login to end, by `POST /logout`. */
  readonly canLogOut: boolean;
  /** The merchant's. */
  readonly timeZone: string;
  /** Whether there is a ledger, which tells of payments. */
  readonly hasPayments: boolean;
}

/** What is the same for all who ask. */
export type Premises = Pick<Reader, 'timeZone' | 'hasPayments'>;

declare module 'fastify' {
  interface FastifyRequest {
    reader?: Reader;
    visitor?: Visitor;
  }
  interface FastifyContextConfig {
    /** Whether everybody gets it, also who has not logged in. @default false */
    isOpen?: boolean;
    /** Whether a viewer may send it, too. @default false */
    isForViewers?: boolean;
  }
}

/** Finds out who asks, before any page is made, and sends away who may not. */
export function introduceReaders(
  app: FastifyInstance,
  gate: Gate,
  tokens: FormTokens,
  premises: Premises,
): void {
  const canLogOut = gate.addRoutes !== undefined;
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return;
    const visitor = await gate.visitorOf(request);
    if (visitor === undefined) return askToLogIn(request, reply);
    const { operator, loginId } = visitor;
    request.visitor = visitor;
    request.reader = {
      operator,
      language: languageOf(request),
      csrfToken: tokens.of(loginId),
      canLogOut,
      ...premises,
    };
  });
}

/** A page leads to the login and comes back; what a script or a form asks for is refused. */
function askToLogIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isNavigation(request)) throw new Refusal('loginNeeded');
  return reply.redirect(`/login?to=${encodeURIComponent(safePath(request.url))}`, 303);
}

function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate';
}

/** Who asks for a page; every page has somebody. */
export function readerOf(request: FastifyRequest): Reader {
  if (request.reader === undefined) throw new Error('the request was not introduced');
  return request.reader;
}

/** Who was let in with a request; every page and every stream has somebody. */
export function visitorOf({ visitor }: FastifyRequest): Visitor {
  if (visitor === undefined) throw new Error('the request was not introduced');
  return visitor;
}

/** Throws a 403 for a viewer. Routes that change something need not call it: the guard of forms has done so. */
export function operatorOnly(request: FastifyRequest): Operator {
  const { operator } = readerOf(request);
  if (operator.role !== 'operator') throw new Refusal('viewer');
  return operator;
}
