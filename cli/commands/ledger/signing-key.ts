import { readSigningKey, readVerifierKey, type CheckpointSigner } from '../../../ledger';
import { SettingsError } from '../../../src/errors';
import { readSigningKeyText } from '../../../src/settings';

/** The signer of the settings, if there is one. Throws `SettingsError`. */
export function configuredSigner(): CheckpointSigner | undefined {
  const text = readSigningKeyText();
  return text === undefined ? undefined : signerOf(text);
}

/** Throws `SettingsError` for what is no signing key. */
export function signerOf(text: string): CheckpointSigner {
  const signer = readSigningKey(text);
  if (signer !== undefined) return signer;
  throw new SettingsError([
    { path: KEY, message: 'must be a key from `paysession ledger new-key`, whole as it was printed' },
  ]);
}

/** Throws `SettingsError` where none is set. */
export function requiredSigner(): CheckpointSigner {
  const signer = configuredSigner();
  if (signer !== undefined) return signer;
  throw new SettingsError([
    { path: KEY, message: 'is missing: make one with `paysession ledger new-key NAME`' },
  ]);
}

/** A verifier key that an option gives. Throws `SettingsError` for what is none. */
export function checkedVerifierKey(option: string, key: string): string {
  if (readVerifierKey(key) !== undefined) return key;
  throw new SettingsError([
    {
      path: option,
      message: 'must be a verifier key, NAME+ID+KEY, as `paysession ledger new-key` prints it',
    },
  ]);
}

const KEY = 'PAYSESSION_LEDGER_SIGNING_KEY';
