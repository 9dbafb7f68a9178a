import { DefaultFailureConverter } from '@temporalio/common';
import { failureConverter as encoding } from '../src/encryption/failure-converter';

/**
 * The flag that an encrypting worker declares before the bundle's own code. Other workers use the same bundle without
 * it.
 */
declare const PAYSESSION_ENCRYPTS: true | undefined;

/** Converts the failures of workflows within the bundle. Temporal's SDK requires this name. */
export const failureConverter =
  typeof PAYSESSION_ENCRYPTS === 'undefined' ? new DefaultFailureConverter() : encoding;
