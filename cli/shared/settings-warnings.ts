import { printWarning } from './output';
import { exposedFileWarning, exposedSecretFiles } from '../../src/settings/secret-files';

/** Warns on standard error of files of secrets that every user of this machine can read. */
export function warnOfExposedFiles(env: NodeJS.ProcessEnv = process.env): void {
  for (const setting of exposedSecretFiles(env)) printWarning(exposedFileWarning(setting));
}
