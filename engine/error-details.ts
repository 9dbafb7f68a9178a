import { types } from 'node:util';

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}

/** The code of a system error, for instance `EADDRINUSE`. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
