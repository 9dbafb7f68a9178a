export { encryptedDataConverter } from './payload-codec';
export { workerDataConverter } from './worker-converter';
export { encryptionKeysSchema } from './keys';
export type { EncryptionKey, EncryptionKeys } from './keys';
