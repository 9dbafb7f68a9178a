import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance } from 'fastify';
import { allowedMethods, type Route } from './allowed-methods';
import { HttpProblem, PROBLEM_TYPE, problemBody, sendProblem } from './problems';

/** Every error leaves as problem details, never with a stack trace (contract A70). */
export function answerProblems(app: FastifyInstance, routes: Readonly<Record<string, Route>>): void {
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));

  // Before the body is read: whatever it holds, there is nothing here for it.
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

/** Node's code of a request that did not arrive in time. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** A caller has this long to take the answer, in milliseconds. */
const TAKEN_WITHIN_MS = 1_000;

/** Answers what is no request, and closes the connection, also where the caller does not. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // Who goes on sending what is no HTTP has the answer already.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(answerOf(unreadable(error.code)));
  // What comes later must not become a request after all. Who sends still would lose the answer by a connection that closes.
  if (error.code === LATE) socket.destroySoon();
  const timer = setTimeout(() => socket.destroy(), TAKEN_WITHIN_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

function unreadable(code: string | undefined): HttpProblem {
  switch (code) {
    case LATE:
      return new HttpProblem(408, 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new HttpProblem(431, 'The headers of the request are too large.');
    default:
      return new HttpProblem(400, 'The request is not well-formed HTTP.');
  }
}

function answerOf(problem: HttpProblem): string {
  const body = JSON.stringify(problemBody(problem));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
