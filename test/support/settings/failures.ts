import { PaysessionError, SettingsError, type ErrorCode } from '../../../src/errors';

/** Returns the failures of a function that reads settings, each as `NAME message`. The list is empty if it succeeds. */
export function failuresOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError)
      return error.failures.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

/** Returns the error of a function that reads settings. */
export function errorOf(read: () => unknown): { code: ErrorCode; message: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof PaysessionError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}
