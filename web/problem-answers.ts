import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance } from 'fastify';
import { HttpProblem, PROBLEM_TYPE, problemBody, sendProblem } from './problems';

/** Every error leaves as problem details, never with a stack trace (contract A70). */
export function answerProblems(
  app: FastifyInstance,
  allowedMethods: (pathname: string) => readonly string[] | undefined,
): void {
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, toProblem(error)));

  // Before the body is read: whatever it holds, there is nothing here for it.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? noSuchRoute(allowedMethods(request.url.split('?')[0] ?? '')) : undefined);
  });
}

function noSuchRoute(methods: readonly string[] | undefined): HttpProblem {
  const allow = methods?.join(', ');
  return allow === undefined
    ? new HttpProblem(404, 'There is no such path.')
    : new HttpProblem(405, `This path takes ${allow} only.`, { headers: { allow } });
}

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { statusCode = 500 } = error as Partial<FastifyError>;
  if (statusCode === 413) return new HttpProblem(413, 'The request body is too large.');
  return statusCode >= 400 && statusCode < 500
    ? new HttpProblem(statusCode, 'The request cannot be read.')
    : new HttpProblem(500, 'The sandbox failed.');
}

/** Answers what is not HTTP, for which there is no request to answer. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const body = JSON.stringify(problemBody(new HttpProblem(status, 'The request is not well-formed HTTP.')));
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
