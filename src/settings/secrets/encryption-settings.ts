import type { ValidationFailure } from '../../contract';
import type { EncryptionKeys } from '../../encryption';
import { parseSettings, refuseFailures, type Environment, type Parsed } from '../parse-settings';
import { parseSecret } from './parse-secret';

/** How what Temporal stores is encrypted. */
export interface EncryptionSettings {
  /** Encrypts what Temporal stores; if absent, it is stored in plain text. */
  readonly encryption?: EncryptionKeys;
  /** Whether plain text is refused: then there are keys. */
  readonly encryptionRequired: boolean;
}

/** Keys come from the environment or from a file. */
export function parseEncryption(env: Environment): Parsed<EncryptionSettings> {
  const mode = parseSettings(env, ['PAYSESSION_ENCRYPTION']);
  const keys = parseSecret(env, 'PAYSESSION_ENCRYPTION_KEYS', 'PAYSESSION_ENCRYPTION_KEYS_FILE');
  const encryptionRequired = mode.value.PAYSESSION_ENCRYPTION === 'required';
  const failures = [...mode.failures, ...keys.failures];
  const isMissing = encryptionRequired && keys.value === undefined && failures.length === 0;
  return {
    value: { ...(keys.value !== undefined && { encryption: keys.value }), encryptionRequired },
    failures: isMissing ? [NO_KEYS] : failures,
  };
}

/** How what Temporal stores is encrypted, where nothing else of Temporal's settings counts. Throws `SettingsError`. */
export function readEncryption(env: Environment): EncryptionSettings {
  const { value, failures } = parseEncryption(env);
  refuseFailures(failures);
  return value;
}

const NO_KEYS: ValidationFailure = {
  path: 'PAYSESSION_ENCRYPTION',
  message:
    'is `required`, but there are no keys: set PAYSESSION_ENCRYPTION_KEYS_FILE or PAYSESSION_ENCRYPTION_KEYS to the keys of the workers',
};

/** The bearer token of the codec server, if one is set. Throws `SettingsError`. */
export function readCodecToken(env: Environment): string | undefined {
  const { value, failures } = parseSecret(env, 'PAYSESSION_CODEC_TOKEN', 'PAYSESSION_CODEC_TOKEN_FILE');
  refuseFailures(failures);
  return value;
}
