import type { ErrorCode } from '../../errors/codes';

/**
 * What a worker says that cannot send a create for want of credentials: nothing was sent. Another worker may have them, or this
 * one may have them later, so a create is given back and the session waits.
 */
const GIVEN_BACK: readonly ErrorCode[] = ['SERVICE_CREDENTIALS_REJECTED', 'UNKNOWN_ACCOUNT'];

/** Whether a create that failed with this code goes to another worker, or waits for one. */
export const isGivenBack = (code: ErrorCode | undefined): boolean =>
  code !== undefined && GIVEN_BACK.includes(code);
