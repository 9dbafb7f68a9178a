import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyError, FastifyInstance } from 'fastify';
import type { ProblemDetails, ValidationFailure } from '../contract';
import { listFailures } from '../errors';

export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Thrown to answer a request with problem details (contract rule A70, docs/contract.md). `instance` is left out, so that all answers to the
 * same problem are equal (contract A53).
 */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: number,
    readonly detail: string,
    readonly extra: {
      readonly errors?: ProblemDetails['errors'];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
  }
}

/** Returns the problem details to send. */
export function problemBody({ status, detail, extra }: HttpProblem): ProblemDetails {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    ...(extra.errors !== undefined && { errors: extra.errors }),
  };
}

function sendProblem(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.extra.headers })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(problem)));
}

/**
 * Returns a problem that lists all failures of a request: as one text in `detail`, and by field in `errors` (contract A21). No message
 * repeats a value.
 */
export function invalidRequest(failures: readonly ValidationFailure[], status = 400): HttpProblem {
  const errors: Record<string, string[]> = {};
  for (const { path, message } of failures) (errors[path] ??= []).push(message);
  return new HttpProblem(status, listFailures(failures), { errors });
}

/** A route of a server. Its path may have parameters, such as `:key`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** Returns the methods that the routes of a URL's path accept, for the header `Allow`. Returns an empty list for an unknown path. */
export function allowedMethods(routes: readonly Route[], url: string): readonly string[] {
  const [pathname = ''] = url.split('?');
  const matching = routes.filter(({ path }) => patternOf(path).test(pathname));
  return [...new Set(matching.flatMap(({ method }) => methodsOf(method)))];
}

/** Returns the methods that a route accepts. A route for GET also accepts HEAD. */
export const methodsOf = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/:\w+/g, '[^/]*')}$`);

/** Answers every error with problem details, never with a stack trace (contract A70). */
export function answerProblems(app: FastifyInstance, routes: Readonly<Record<string, Route>>): void {
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));

  // This is checked before the body is read, because no route needs the body.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? noSuchRoute(allowedMethods(Object.values(routes), request.url)) : undefined);
  });
}

function noSuchRoute(methods: readonly string[]): HttpProblem {
  const allow = methods.join(', ');
  return allow === ''
    ? new HttpProblem(404, 'There is no such path.')
    : new HttpProblem(405, `This path takes ${allow} only.`, { headers: { allow } });
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode === 413) return new HttpProblem(413, 'The request body is too large.');
  return statusCode >= 400 && statusCode < 500
    ? new HttpProblem(statusCode, 'The request cannot be read.')
    : new HttpProblem(500, 'The server failed.');
}
