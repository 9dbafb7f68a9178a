import { expect, test } from '@jest/globals';
import {
  encryptionOf,
  nameOf,
  workerIdentity,
  writesAhead,
} from '../../src/protocol/temporal/worker-identity';

test.each([
  [undefined, '7@host writing ahead'],
  [{ required: false, keyIds: [] }, '7@host writing ahead encrypting'],
  [{ required: false, keyIds: ['new', 'old.1'] }, '7@host writing ahead encrypting with new,old.1'],
  [{ required: true, keyIds: ['new'] }, '7@host writing ahead encrypting always with new'],
])('a worker’s identity tells how it encrypts, and that is read again: %j', (encryption, identity) => {
  expect(workerIdentity('7@host', encryption)).toBe(identity);
  expect(encryptionOf(identity)).toEqual(encryption);
  expect(nameOf(identity)).toBe('7@host');
  expect(writesAhead(identity)).toBe(true);
});

test.each(['7@host', '7@host encrypting always with new', 'writing'])(
  'a worker of another version, or under a name of its user’s, does not write ahead: %s',
  (identity) => {
    expect(writesAhead(identity)).toBe(false);
  },
);
