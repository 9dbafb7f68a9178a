import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isPaysessionError, type ErrorCode } from 'paysession';
import { readerOf, type Text } from './language';
import { problemPage } from './pages/problem-page';
import { sendPage } from './security';
import { TEXTS } from './texts';

/** An error of the shop, with the HTTP status of the answer. */
export class ShopError extends Error {
  constructor(
    readonly statusCode: number,
    readonly text: Text,
  ) {
    super(text.EN);
  }
}

/** Answers errors: with a page for people, and with JSON for the page's script. Both show no internal details. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const described = describe(error);
    if (described.status === 500) console.error(error);
    return answer(request, reply, described);
  });
  app.setNotFoundHandler((request, reply) =>
    answer(request, reply, { status: 404, title: TEXTS.errors.nothingHere }),
  );
}

interface DescribedError {
  readonly status: number;
  readonly title: Text;
  readonly code?: ErrorCode;
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, title, code }: DescribedError,
): FastifyReply {
  void reply.code(status);
  if (status === 503) void reply.header('retry-after', '5');
  const reader = readerOf(request);
  const text = title[reader.language];
  if (request.headers.accept === 'application/json')
    return reply.send({ title: text, ...(code && { code }) });
  const detail = code === undefined ? '' : `Code ${code}.`;
  return sendPage(reply, problemPage({ reader, title: text, detail }));
}

function describe(error: unknown): DescribedError {
  if (isPaysessionError(error)) return { ...describeCode(error.code), code: error.code };
  if (error instanceof ShopError) return { status: error.statusCode, title: error.text };
  const status = statusOf(error);
  return error instanceof Error && status < 500
    ? { status, title: TEXTS.errors.refused }
    : { status: 500, title: TEXTS.errors.ours };
}

function describeCode(code: ErrorCode): DescribedError {
  switch (code) {
    case 'SESSION_NOT_FOUND':
      return { status: 404, title: TEXTS.errors.noOrder };
    case 'CANCEL_PENDING':
      return { status: 202, title: TEXTS.errors.cancelling };
    case 'SESSION_BUSY':
    case 'SESSION_UPDATE_LIMIT':
    case 'SERVICE_CREDENTIALS_REJECTED':
    case 'UNKNOWN_ACCOUNT':
    case 'TEMPORAL_BUSY':
    case 'TEMPORAL_UNAVAILABLE':
    case 'WORKER_UNAVAILABLE':
      return { status: 503, title: TEXTS.errors.unavailable };
    default:
      return { status: 500, title: TEXTS.errors.ours };
  }
}

/**
 * Returns the HTTP status of an error. fastify's own errors have a status, such as 413 for a body that is too large.
 */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : 500;
}
