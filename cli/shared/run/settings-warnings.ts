import { printWarning } from '../screen/output';
import { exposedFileWarning, exposedSecretFiles } from '../../../src/settings/secret-files';
import { isTlsLeftOpen, TLS_LEFT_OPEN } from '../../../src/settings/postgres-url';

/** Warns on standard error where the ledger is on another machine, and its URL says nothing of TLS. */
export function warnOfOpenLedger(ledger: { readonly url: string }): void {
  if (isTlsLeftOpen(ledger)) printWarning(TLS_LEFT_OPEN);
}

/** Warns on standard error of files of secrets that every user of this machine can read. */
export function warnOfExposedFiles(env: NodeJS.ProcessEnv = process.env): void {
  for (const setting of exposedSecretFiles(env)) printWarning(exposedFileWarning(setting));
}
