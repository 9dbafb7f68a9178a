import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../web/language';
import type { FormTokens } from '../../web/guards';
import { languageOf } from '../http/language';
import { safePath } from '../http/paths';
import { Refusal } from '../http/refusal';
import { type LogEntry, logLine } from '../log';
import type { ConsoleOptions } from '../options';
import type { Operator } from './access';

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

/** What a reader's texts and times are written by. */
export type ReaderLocale = Pick<Reader, 'language' | 'timeZone'>;

/** What is the same for all who ask. */
export type Premises = Pick<Reader, 'timeZone' | 'hasPayments'>;

/** Somebody who was let in. */
export interface Visitor {
  readonly operator: Operator;
  /** What forms are bound to: another for everybody, and for each login. */
  readonly loginId: string;
  /** When the login ends, in milliseconds since the epoch. @default never */
  readonly endsAtMs?: number;
}

/** What a gate tells the console. */
export interface GateEvents {
  readonly log: (entry: LogEntry) => void;
  /** Somebody has logged out: what is still being sent to this login ends. */
  readonly loggedOut: (loginId: string) => void;
}

/** One of the ways to find out who asks. */
export interface Gate {
  /** Who asks; `undefined` where they have to log in first. Throws `Refusal` for who may not come in. */
  visitorOf(request: FastifyRequest): Promise<Visitor | undefined>;
  /** Adds the pages to log in and out by. @default there are none */
  addRoutes?(app: FastifyInstance): void;
}

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

/** The key of the session that a request is about. */
export function keyOf({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

/** Logs who did what, to which session, and what came of it; no reason, which may tell of a person. */
export function note(
  { log }: Pick<ConsoleOptions, 'log'>,
  request: FastifyRequest,
  entry: Omit<LogEntry, 'operator'>,
): void {
  log?.(logLine({ operator: readerOf(request).operator, ...entry }));
}
