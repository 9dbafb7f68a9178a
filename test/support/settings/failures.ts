import { PaysessionError, SettingsError, type ErrorCode } from '../../../src/errors';

/** The failures that reading the settings lists, as `NAME message`. */
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

/** The error that reading the settings ends with. */
export function errorOf(read: () => unknown): { code: ErrorCode; message: string } {
  try {
    read();
  } catch (error) {
    if (error instanceof PaysessionError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}
