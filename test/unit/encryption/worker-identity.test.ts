import { expect, test } from '@jest/globals';
import { encryptionOf, workerNameOf, workerIdentity } from '../../../src/encryption/worker-encryption';

test.each([
  [undefined, '7@host'],
  [{ required: false, keyIds: [] }, '7@host encrypting'],
  [{ required: false, keyIds: ['new', 'old.1'] }, '7@host encrypting with new,old.1'],
  [{ required: true, keyIds: ['new'] }, '7@host encrypting always with new'],
])('a worker’s identity shows how it encrypts, and is read again: %j', (encryption, identity) => {
  expect(workerIdentity('7@host', encryption)).toBe(identity);
  expect(encryptionOf(identity)).toEqual(encryption);
  expect(workerNameOf(identity)).toBe('7@host');
});
