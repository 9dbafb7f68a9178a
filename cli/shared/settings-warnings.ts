import { printWarning } from './output';
import { exposedFileWarning, exposedSecretFiles } from '../../src/settings/secret-files';

/** Prints a warning for each file with secrets that all users of this machine can read. */
export function warnOfExposedFiles(): void {
  for (const setting of exposedSecretFiles(process.env)) printWarning(exposedFileWarning(setting));
}
