import { DefaultFailureConverter } from '@temporalio/common';
import { failureConverter as encoding } from '../src/encryption/failure-converter';

/**
 * The flag for encryption. All workers use the same workflow bundle. A worker that encrypts declares this flag before the bundle's own
 * code.
 */
declare const PAYSESSION_ENCRYPTS: true | undefined;

/** Converts the failures of workflows. With the flag, their messages are encrypted. Temporal's SDK requires the name of this export. */
export const failureConverter =
  typeof PAYSESSION_ENCRYPTS === 'undefined' ? new DefaultFailureConverter() : encoding;
