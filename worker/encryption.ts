import type { DataConverter } from '@temporalio/common';
import {
  allKeys,
  converterOfRing,
  KeyRing,
  type EncryptionKeys,
  type EncryptionKeySource,
  type EncryptionOptions,
} from '../src/encryption';
import { SettingsError } from '../src/errors';
import type { WorkerEncryption } from '../src/encryption/worker-encryption';

/** Options of a worker's encryption. */
export interface EncryptionOfWorker {
  /**
   * The keys with which the worker encrypts the data that Temporal stores, or a function that fetches these keys, for
   * instance from a key management service. Clients need the same keys as the worker. @default data is stored in plain text
   */
  readonly encryption?: EncryptionKeys | EncryptionKeySource;
  /**
   * Options to refuse plain text, and to read encrypted data of other namespaces. @default plain text is accepted, and data of
   * other namespaces is refused
   */
  readonly encryptionOptions?: EncryptionOptions;
}

/** A worker's data converter, and the facts about its encryption that the worker's identity shows. */
export interface WorkerConverter {
  /** Absent if the worker uses Temporal's default. */
  readonly dataConverter?: DataConverter;
  /** The facts that the worker's identity shows. Absent if the worker does not encrypt. */
  readonly shown?: WorkerEncryption;
}

/**
 * Returns the worker's data converter.
 *
 * @param own the data converter in Temporal's worker options. If it is given, the keys in `encryption` are not used.
 * @throws {@link SettingsError} `INVALID_SETTINGS` if a key in `encryption` cannot be used
 * @throws {@link SettingsError} `INVALID_SETTINGS` if encryption is required, and `encryption` is absent or `own` is given
 * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` if the function that fetches the keys does not return usable ones
 */
export async function workerConverter(
  { encryption, encryptionOptions = {} }: EncryptionOfWorker,
  own: DataConverter | undefined,
): Promise<WorkerConverter> {
  const required = encryptionOptions.required === true;
  if (required && (encryption === undefined || own !== undefined)) throw new SettingsError([NOT_ENFORCED]);
  if (own !== undefined) {
    const encrypts = (own.payloadCodecs ?? []).length > 0;
    return { dataConverter: own, ...(encrypts && { shown: { required, keyIds: [] } }) };
  }
  if (encryption === undefined) return {};
  const ring = new KeyRing(encryption);
  return {
    dataConverter: converterOfRing(ring, encryptionOptions),
    shown: { required, keyIds: allKeys(await ring.keys()).map(({ id }) => id) },
  };
}

const NOT_ENFORCED = {
  path: 'encryptionOptions.required',
  message: 'needs keys in `encryption`, and no data converter of your own',
};

/**
 * The maximum number of warnings. A warning may quote the key id of a payload, and the sender of the payload chooses that id. The
 * limit keeps senders from filling the log.
 */
const MAX_WARNINGS = 100;

/** Returns a function that passes on each different message once, and at most {@link MAX_WARNINGS} messages. */
export function warnOnce(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (warned.has(message) || warned.size >= MAX_WARNINGS) return;
    warned.add(message);
    warn(message);
  };
}
