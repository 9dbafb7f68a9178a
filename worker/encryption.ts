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
   * Encrypts the data that Temporal stores. Clients need the same keys. Pass the keys, or a function that fetches them,
   * for instance from a key management service. @default stored in plain text
   */
  readonly encryption?: EncryptionKeys | EncryptionKeySource;
  /**
   * Options to refuse plain text, and to read data of other namespaces. @default plain text is read, data of other
   * namespaces is not
   */
  readonly encryptionOptions?: EncryptionOptions;
}

/** A worker's data converter, and the published facts about its encryption. */
export interface WorkerConverter {
  /** Absent if the worker uses Temporal's default. */
  readonly dataConverter?: DataConverter;
  /** Absent if the worker does not encrypt. */
  readonly tells?: WorkerEncryption;
}

/**
 * Returns the worker's data converter.
 *
 * @param own the data converter of Temporal's options, which takes precedence
 * @throws {@link SettingsError} `INVALID_SETTINGS` if a given key cannot be used, or if encryption is required without
 * keys or with a data converter of Temporal's options
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
    return { dataConverter: own, ...(encrypts && { tells: { required, keyIds: [] } }) };
  }
  if (encryption === undefined) return {};
  const ring = new KeyRing(encryption);
  return {
    dataConverter: converterOfRing(ring, encryptionOptions),
    tells: { required, keyIds: allKeys(await ring.keys()).map(({ id }) => id) },
  };
}

const NOT_ENFORCED = {
  path: 'encryptionOptions.required',
  message: 'needs keys in `encryption`, and no data converter of your own',
};

/** The maximum number of warnings. Each may quote a key id that a payload's sender chose, and no sender must fill the log. */
const MAX_WARNINGS = 100;

/** Returns a function that passes each warning on once, up to a number of warnings. */
export function warnOnce(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (warned.has(message) || warned.size >= MAX_WARNINGS) return;
    warned.add(message);
    warn(message);
  };
}
