export { converterOfRing, encryptedDataConverter } from './payload-codec';
export { decrypt, encrypt } from './cipher';
export { KeyRing } from './key-ring';
export type { EncryptionOptions } from './payload-codec';
export { workerDataConverter } from './worker-converter';
export { allKeys, encryptionKeysSchema, KEY_BYTES } from './keys';
export type { EncryptionKey, EncryptionKeys } from './keys';
export type { EncryptionKeySource } from './key-ring';
