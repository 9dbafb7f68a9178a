import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../src/web/language';
import type { FormTokens } from '../../src/web/guards';
import { languageOf } from '../http/language';
import { safePath } from '../http/paths';
import { Refusal } from '../http/refusal';
import { type LogEntry, logLine } from '../log';
import type { ConsoleOptions } from '../options';
import type { Operator } from './access';

/** The person who requests a page, with the language and time zone of its texts. */
export interface Reader extends Visitor {
  readonly language: Language;
  /** The token that every form sends in its field `csrf`. */
  readonly csrfToken: string;
  /** True if `POST /logout` can end a login. */
  readonly canLogOut: boolean;
  /** The merchant's time zone. */
  readonly timeZone: string;
  /** True if there is a ledger, which has the payments. */
  readonly hasPayments: boolean;
}

/** The language of a reader's texts, and the time zone of the times in them. */
export type ReaderLocale = Pick<Reader, 'language' | 'timeZone'>;

/** The properties that all readers share. */
export type CommonToReaders = Pick<Reader, 'timeZone' | 'hasPayments'>;

/** A person who has access. */
export interface Visitor {
  readonly operator: Operator;
  /** The id of the login. It binds a form to the person and the login. */
  readonly loginId: string;
  /** The login's end, in milliseconds since the epoch. @default never */
  readonly endsAtMs?: number;
}

/** Callbacks by which a gate reports to the console. */
export interface GateEvents {
  readonly log: (entry: LogEntry) => void;
  /** Called after a logout. Ends the live streams of the login. */
  readonly loggedOut: (loginId: string) => void;
}

/** One way to identify the sender of a request. */
export interface Gate {
  /** Returns the sender; `undefined` if they have to log in first. Throws `Refusal` if they have no access. */
  visitorOf(request: FastifyRequest): Promise<Visitor | undefined>;
  /** Adds the pages for login and logout. @default no pages */
  addRoutes?(app: FastifyInstance): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    reader?: Reader;
  }
  interface FastifyContextConfig {
    /** True for a route that needs no login. @default false */
    isOpen?: boolean;
    /**
     * True for a form that viewers may send, too. Such a form has no field `once`, the form's own id (see `answerSentFormsOnce`). @default
     * false
     */
    isForViewers?: boolean;
    /** True for a page that only operators may see. @default false */
    isForOperators?: boolean;
  }
}

/** The options of a route that needs no login. */
export const OPEN = { config: { isOpen: true } } as const;

/** The options of a route whose page only operators may see. */
export const FOR_OPERATORS = { config: { isForOperators: true } } as const;

/** Identifies the sender of each request to a route that needs a login, and refuses senders without access. */
export function identifyReaders(
  app: FastifyInstance,
  gate: Gate,
  tokens: FormTokens,
  premises: CommonToReaders,
): void {
  const canLogOut = gate.addRoutes !== undefined;
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isOpen === true) return;
    const visitor = await gate.visitorOf(request);
    if (visitor === undefined) return askToLogIn(request, reply);
    request.reader = {
      ...visitor,
      language: languageOf(request),
      csrfToken: tokens.of(visitor.loginId),
      canLogOut,
      ...premises,
    };
  });
}

/**
 * Redirects the request for a page to the login. After the login, the browser returns to the page. Refuses the request of a script or a
 * form.
 */
function askToLogIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isNavigation(request)) throw new Refusal('loginNeeded');
  return reply.redirect(`/login?to=${encodeURIComponent(safePath(request.url))}`, 303);
}

function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate';
}

/** Returns the reader of a page, a form or a stream. Every request to a route that needs a login has a reader. */
export function readerOf({ reader }: FastifyRequest): Reader {
  if (reader === undefined) throw new Error('the route needs no login');
  return reader;
}

/** Returns the key of the request's session. */
export function keyOf({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

/** Logs the person, the action, the session and the result. It logs no reason, because a reason may name the payor. */
export function note(
  { log }: Pick<ConsoleOptions, 'log'>,
  request: FastifyRequest,
  entry: Omit<LogEntry, 'operator'>,
): void {
  log?.(logLine({ operator: readerOf(request).operator, ...entry }));
}
