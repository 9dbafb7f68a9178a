import type { FastifyRequest } from 'fastify';
import type { ConsoleOptions } from '../server/options';
import { readerOf } from '../server/reader';

/** The key of the session that a request is about. */
export function keyOf({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

/** Writes down who did what to which session, and what came of it; no reason, which may tell of a person. */
export function note(
  { log }: Pick<ConsoleOptions, 'log'>,
  request: FastifyRequest,
  { act, key, result }: { readonly act: string; readonly key: string; readonly result: string },
): void {
  const { name, role } = readerOf(request).operator;
  // As JSON: neither a name nor a key can end the line or pass for another field.
  log?.([new Date().toISOString(), JSON.stringify(name), role, act, JSON.stringify(key), result].join(' '));
}
