import { DefaultFailureConverter } from '@temporalio/common';
import { failureConverter as encoding } from '../src/encryption/failure-converter';

/** What a worker that encrypts declares before the bundle's own code: one bundle serves those that do not, too. */
declare const PAYSESSION_ENCRYPTS: true | undefined;

/** Converts the failures of workflows within the bundle. The name is the one that Temporal's SDK asks for. */
export const failureConverter =
  typeof PAYSESSION_ENCRYPTS === 'undefined' ? new DefaultFailureConverter() : encoding;
