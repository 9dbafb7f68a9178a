import { types } from 'node:util';

/** Why something failed, in words. */
export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
