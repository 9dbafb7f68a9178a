export { encryptedDataConverter } from './payload-codec';
export { encryptionKeysSchema } from './keys';
export type { EncryptionKey, EncryptionKeys } from './keys';
