import { printWarning } from './output';
import { exposedFileWarning, exposedSecretFiles } from '../../src/settings/secret-files';

/** Warns on standard error about files of secrets that every user of this machine can read. */
export function warnOfExposedFiles(): void {
  for (const setting of exposedSecretFiles(process.env)) printWarning(exposedFileWarning(setting));
}
