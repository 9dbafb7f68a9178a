export { SETTINGS } from './settings-table';
export type { SettingName } from './settings-table';
export type { Setting, SettingSubject } from './table/setting';
export type { Environment } from './parse-settings';
export { readCodecToken, readEncryption } from './secrets/encryption-settings';
export type { EncryptionSettings } from './secrets/encryption-settings';
export { readTemporalSettings } from './connection/temporal-settings';
export type { TemporalConnectionOptions, TemporalSettings } from './connection/temporal-settings';
export { readAccounts } from './secrets/accounts';
export type { Accounts } from './secrets/accounts';
export { readCacheFolder, readDigest } from './engine-settings';
export {
  readLedgerOf,
  readLedgerSettings,
  readOptionalLedger,
  readSigningKeyText,
} from './secrets/ledger-settings';
export type { LedgerSettings } from './secrets/ledger-settings';
export { readWebhooks } from './webhooks/endpoints';
export type { WebhookEndpoint, WebhookSettings } from './webhooks/endpoints';
export { readSettings, readWorkerSettings } from './read-settings';
export type { Settings, WorkerSettings } from './read-settings';
export { connectTemporal } from './connection/connect';
export type { ConnectOptions, TemporalConnection } from './connection/connect';
export type { LogFormat, LogLevel } from './setting-values';
export { HIDE_SECRET_FILE } from './secrets/exposed-secret-files';
export { readConsoleSettings, readPageSettings } from './console/console-settings';
export type { ConsoleOidcSettings, ConsoleSettings } from './console/console-settings';
