import type { FastifyRequest } from 'fastify';
import { logLine, type LogEntry } from '../log';
import type { ConsoleOptions } from '../options';
import { readerOf } from '../server/reader';

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
