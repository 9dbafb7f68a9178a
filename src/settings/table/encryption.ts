import { encryptionKeysSchema } from '../../encryption/keys';
import { bearerToken, encryptionMode, text } from '../setting-values';
import type { Setting } from './setting';

/** What encrypts the data that Temporal stores, and who may have it decrypted. */
export const ENCRYPTION_SETTINGS = [
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS',
    subject: 'Temporal',
    meaning:
      'Keys that encrypt what Temporal stores of a session, the same for every client and worker: ID:KEY, or several joined by commas. Each KEY is 32 bytes in base64. The first encrypts, all decrypt. If unset, sessions are stored in plain text.',
    secret: true,
    hasLines: true,
    schema: encryptionKeysSchema,
  },
  {
    name: 'PAYSESSION_ENCRYPTION_KEYS_FILE',
    subject: 'Temporal',
    meaning:
      'File with these keys instead, such as a mounted secret: a key a line, or joined by commas. It is read at startup.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_ENCRYPTION',
    subject: 'Temporal',
    meaning:
      '`required`: clients and workers without keys refuse to start, and plain text is refused where data of a session is expected. `optional`: plain text is accepted, because sessions may be older than the keys.',
    default: 'optional',
    secret: false,
    schema: encryptionMode,
  },
  {
    name: 'PAYSESSION_CODEC_TOKEN',
    subject: 'Temporal',
    meaning: 'The bearer token that `paysession codec` asks of its callers, at least 16 characters.',
    secret: true,
    schema: bearerToken,
  },
  {
    name: 'PAYSESSION_CODEC_TOKEN_FILE',
    subject: 'Temporal',
    meaning: 'File with that token instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
] as const satisfies readonly Setting[];
