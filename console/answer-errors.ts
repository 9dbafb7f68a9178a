import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, isPaysessionError, nameOf, rowOf, withRemedy } from '../src/errors';
import { html, type Html } from '../src/web/html';
import { HttpProblem, allowedMethods, type Route } from '../src/web/problems';
import { sendBarePage } from './http/bare-page';
import { languageOf } from './http/language';
import { sendConsolePage, explanation, withCommands } from './page';
import { Refusal, type RefusalReason } from './http/refusal';
import { textsOf } from './texts';
import { safePath } from './http/paths';

/** The contents of an error's page. */
interface ErrorPage {
  readonly status: number;
  readonly title: string;
  readonly message: string | Html;
  /** The permanent code, to look up in the documentation. */
  readonly code?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** A sentence about the cause. */
  readonly detail?: string;
}

/** Answers every error with a page that says what happened and what to do, never with a stack trace. */
export function answerErrors(app: FastifyInstance, log: (line: string) => void): void {
  const routes = routesOf(app);
  app.setErrorHandler((error, request, reply) => {
    const page = pageOf(error, request);
    if (page.status === 500) log(`${new Date().toISOString()} failed ${request.method}: ${nameOf(error)}`);
    return sendError(request, reply, page);
  });
  app.setNotFoundHandler((request) => {
    const methods = allowedMethods(routes, request.url);
    throw methods.length === 0
      ? new Refusal('notFound')
      : new Refusal('wrongMethod', { allow: methods.join(', ') });
  });
}

/**
 * Markup that reloads the page of a passing error, for example while Temporal does not answer. The console's script reloads the page once
 * the console answers without an error. In a browser without scripts, the page reloads after four seconds.
 */
const RELOADING = html`<noscript><meta http-equiv="refresh" content="4" /></noscript
  ><span data-retries></span>`;

/** Codes of errors that may pass by themselves, without an action of the reader. */
const PASSING_ERRORS: readonly ErrorCode[] = ['TEMPORAL_UNAVAILABLE', 'TEMPORAL_BUSY', 'WORKER_UNAVAILABLE'];

function sendError(request: FastifyRequest, reply: FastifyReply, page: ErrorPage): FastifyReply {
  const { status, title, message, code, headers = {}, detail } = page;
  const language = languageOf(request);
  const texts = textsOf(language).answers;
  const retries = request.method === 'GET' && code !== undefined && PASSING_ERRORS.includes(code);
  const content = html`<p>${message}</p>
    ${code !== undefined && html`<p><code>${code}</code></p>`}
    ${detail !== undefined && html`<p>${detail}</p>`}
    ${
      retries &&
      html`<p>${texts.retries}</p>
        ${RELOADING}`
    }
    ${status === 401 && html`<p><a href="${loginFor(request)}">${texts.logIn}</a></p>`}`;
  reply.code(status).headers(headers);
  return request.reader === undefined
    ? sendBarePage(reply, language, { title, content })
    : sendConsolePage(request, reply, { title, content });
}

/** Returns the URL of the login that leads back to the requested page, or to the form's page. */
function loginFor({ method, url, headers }: FastifyRequest): string {
  const { referer = '' } = headers;
  const from = URL.canParse(referer) ? new URL(referer) : undefined;
  const back = method === 'GET' || method === 'HEAD' ? url : `${from?.pathname ?? '/'}${from?.search ?? ''}`;
  return `/login?to=${encodeURIComponent(safePath(back))}`;
}

function pageOf(error: unknown, request: FastifyRequest): ErrorPage {
  const language = languageOf(request);
  const texts = textsOf(language).answers;
  if (error instanceof HttpProblem) {
    const message = language === 'EN' ? error.detail : texts.refusals.unreadable.body;
    return { status: error.status, title: texts.otherError, message };
  }
  if (isPaysessionError(error)) {
    const { code } = error;
    // An English page shows the error's own message, which has more details, such as the key. Other languages show the meaning of the code.
    const message =
      language === 'EN' ? withCommands(withRemedy(code, error.message)) : explanation(code, language);
    const titles: Readonly<Partial<Record<ErrorCode, string>>> = texts.titles;
    return { status: statusOf(code), title: titles[code] ?? texts.otherError, message, code };
  }
  const { reason, status, headers, detail } =
    error instanceof Refusal ? error : new Refusal(reasonOf(error, request));
  const { heading: title, body: message } = texts.refusals[reason];
  return { status, title, message, headers, ...(detail && { detail: detail(language) }) };
}

/** Returns the reason for an error of the HTTP server itself, or for an unexpected one. */
function reasonOf(error: unknown, { routeOptions }: FastifyRequest): RefusalReason {
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode === 413) return routeOptions.config.hasFile === true ? 'fileTooLarge' : 'tooLarge';
  return statusCode >= 400 && statusCode < 500 ? 'unreadable' : 'failed';
}

const STATUS_OF_EXIT = {
  badInput: 500,
  notFound: 404,
  conflict: 409,
  unavailable: 503,
  sessionFailed: 409,
  diverged: 500,
} as const;

/** Codes of errors in the reader's own input. Any other code for invalid input is about the console's settings. */
const READER_ERRORS: readonly string[] = ['INVALID_REQUEST', 'INVALID_FILTER', 'INVALID_INPUT'];

function statusOf(code: ErrorCode): number {
  return READER_ERRORS.includes(code) ? 400 : STATUS_OF_EXIT[rowOf(code)?.exit ?? 'badInput'];
}

/** Collects the routes that are added to the server from now on. */
function routesOf(app: FastifyInstance): readonly Route[] {
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, path }) => {
    for (const each of [method].flat()) routes.push({ method: each, path });
  });
  return routes;
}
