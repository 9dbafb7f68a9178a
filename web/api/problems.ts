import { STATUS_CODES } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ProblemDetails, ValidationFailure } from '../../src/contract';
import { listFailures } from '../../src/errors';

export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Thrown to answer with problem details (contract A70). `instance` is left out, so that two answers to the same problem
 * are the same (contract A53).
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

/** Problem details of a status, as they are sent. */
export function problemBody({ status, detail, extra }: HttpProblem): ProblemDetails {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    ...(extra.errors !== undefined && { errors: extra.errors }),
  };
}

export function sendProblem(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.extra.headers })
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(problem)));
}

/** All failures in `detail`, and by field in `errors` (contract A21). No message repeats a value. */
export function invalidRequest(failures: readonly ValidationFailure[], status = 400): HttpProblem {
  const errors: Record<string, string[]> = {};
  for (const { path, message } of failures) (errors[path] ??= []).push(message);
  return new HttpProblem(status, listFailures(failures), { errors });
}
