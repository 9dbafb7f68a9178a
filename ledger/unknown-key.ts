import { PaysessionError } from '../src/errors';

/** `SESSION_NOT_FOUND`: the ledger knows nothing of a key. */
export function unknownKey(key: string): PaysessionError {
  const code = 'SESSION_NOT_FOUND';
  const remedy = 'Check the key, and PAYSESSION_LEDGER_ENVIRONMENT: by default it is the Temporal namespace.';
  return new PaysessionError(code, `The ledger knows no session with the key "${key}". ${remedy}`);
}
