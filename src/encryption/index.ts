export { converterOfRing, decrypt, encrypt, encryptedDataConverter } from './payload-codec';
export type { EncryptionOptions } from './payload-codec';
export { allKeys, encryptionKeysSchema, KEY_BYTES, KeyRing } from './keys';
export type { EncryptionKey, EncryptionKeys, EncryptionKeySource } from './keys';
export { workerDataConverter } from './worker-encryption';
