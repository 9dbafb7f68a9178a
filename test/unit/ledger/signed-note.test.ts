import { describe, expect, test } from '@jest/globals';
import {
  checkpointsIn,
  isOrigin,
  isSignedBy,
  newSigningKey,
  readCheckpoint,
  readSigningKey,
  readVerifierKey,
  writeCheckpoint,
} from '../../../ledger/log/signed-note';

/** A signing key from the examples of Go's `golang.org/x/mod/sumdb/note`. */
const GO_KEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const GO_VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_TEXT =
  'If you think cryptography is the answer to your problem,\nthen you don’t know what your problem is.\n'.replace(
    '’',
    "'",
  );
const GO_SIGNATURE =
  'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=';

const root = Buffer.alloc(32, 7);

describe('a checkpoint of the ledger', () => {
  test('is signed as Go’s package `note` signs, with that package’s form of keys', () => {
    const signer = readSigningKey(GO_KEY);
    expect(signer?.verifierKey).toBe(GO_VERIFIER);
    expect(signer?.sign(Buffer.from(GO_TEXT)).toString('base64')).toBe(
      Buffer.from(GO_SIGNATURE, 'base64').subarray(4).toString('base64'),
    );
  });

  test.each(['', 'a b', 'a+b', 'é', 'a'.repeat(201)])(
    'cannot be signed in the name %j: a key with this name is refused',
    (name) => {
      expect(() => newSigningKey(name)).toThrow(expect.objectContaining({ code: 'INVALID_SETTINGS' }));
    },
  );

  test('can be read, and its signature is valid only for the key that signed it', () => {
    const signer = readSigningKey(newSigningKey('shop.example/ledger'));
    const other = readSigningKey(newSigningKey('shop.example/ledger'));
    if (signer === undefined || other === undefined) throw new Error('a new key cannot be read');
    const note = writeCheckpoint({ size: 42, root }, signer);
    expect(note).toMatch(/^shop\.example\/ledger\n42\n[\w+/]{43}=\n\n— shop\.example\/ledger [\w+/=]+\n$/);
    expect(readCheckpoint(note)).toEqual({ origin: 'shop.example/ledger', size: 42, root });
    expect(isSignedBy(note, signer.verifierKey)).toBe(true);
    expect(isSignedBy(note, other.verifierKey)).toBe(false);
    expect(isSignedBy(note.replace('42', '43'), signer.verifierKey)).toBe(false);
    const cosigned = `${note}— witness.example AAAAAAAA\n`;
    expect(isSignedBy(cosigned, signer.verifierKey)).toBe(true);
  });

  test.each([
    '',
    'shop\n1\n',
    'shop\n-1\nAAAA\n\n— shop AAAA\n',
    'shop\n01\nAAAA\n\n— x y\n',
    'a+b\n1\nAAAA\n\n— x y\n',
  ])('cannot be read from %j', (text) => {
    expect(readCheckpoint(text)).toBeUndefined();
    expect(isSignedBy(text, GO_VERIFIER)).toBe(false);
  });

  test.each(['', 'PRIVATE+KEY+a+00000000+AAAA', GO_KEY.replace('c74f20a3', 'c74f20a4'), GO_VERIFIER])(
    'cannot be signed with the invalid key %j',
    (text) => {
      expect(readSigningKey(text)).toBeUndefined();
    },
  );

  test('cannot be verified with a key of another id, and its name has no plus and no space', () => {
    expect(readVerifierKey(GO_VERIFIER)).toBeDefined();
    expect(readVerifierKey(GO_VERIFIER.replace('c74f20a3', 'c74f20a4'))).toBeUndefined();
    expect(['shop.example/ledger', 'a+b', 'a b', ''].map(isOrigin)).toEqual([true, false, false, false]);
  });

  test('is invalid with anything after its signatures, or with a signature in another form', () => {
    const { note, verifierKey } = madeBy(readSigningKey(GO_KEY));
    const changed = [
      `${note}${note}`,
      `${note}\n`,
      `${note}paid\n`,
      `${note}\npaid\n`,
      note.slice(0, -1),
      note.replace(/\n$/, '=\n'),
    ];
    expect(changed.map((text) => isSignedBy(text, verifierKey))).toEqual(changed.map(() => false));
    expect(changed.slice(0, -1).map(readCheckpoint)).toEqual(changed.slice(0, -1).map(() => undefined));
  });

  test('is found in a file of several checkpoints, and a file with anything else is refused', () => {
    const { note } = madeBy(readSigningKey(GO_KEY));
    const { note: other } = madeBy(readSigningKey(newSigningKey('shop.example/ledger')));
    expect(checkpointsIn(`${note}${other}\n${note}`)).toEqual([note, other, note]);
    const others = [
      '',
      `${note}paid\n`,
      `paid\n${note}`,
      note.slice(0, -1),
      `${note}${other.replace('42', 'x')}`,
    ];
    expect(others.map(checkpointsIn)).toEqual(others.map(() => undefined));
  });
});

function madeBy(signer: ReturnType<typeof readSigningKey>) {
  if (signer === undefined) throw new Error('a key cannot be read');
  return { note: writeCheckpoint({ size: 42, root }, signer), verifierKey: signer.verifierKey };
}
