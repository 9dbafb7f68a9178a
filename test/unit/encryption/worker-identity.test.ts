import { expect, test } from '@jest/globals';
import {
  announcesLedger,
  encryptionOf,
  workerIdentity,
  workerNameOf,
} from '../../../src/encryption/worker-encryption';

test.each([
  [undefined, false, '7@host'],
  [undefined, true, '7@host with a ledger'],
  [{ required: false, keyIds: [] }, false, '7@host encrypting'],
  [{ required: false, keyIds: ['new', 'old.1'] }, false, '7@host encrypting with new,old.1'],
  [{ required: true, keyIds: ['new'] }, false, '7@host encrypting always with new'],
  [{ required: true, keyIds: ['new'] }, true, '7@host with a ledger encrypting always with new'],
])(
  'for a worker with the encryption %j and a ledger (%s), the identity contains both facts, and both can be read from it',
  (encryption, hasLedger, identity) => {
    expect(workerIdentity('7@host', { encryption, hasLedger })).toBe(identity);
    expect(encryptionOf(identity)).toEqual(encryption);
    expect(announcesLedger(identity)).toBe(hasLedger);
    expect(workerNameOf(identity)).toBe('7@host');
  },
);

test('a worker’s identity contains at most eight key ids; with eight, it means that the worker may have more keys', () => {
  const keyIds = ['1', '2', '3', '4', '5', '6', '7', '8'];
  for (const all of [keyIds, [...keyIds, '9']]) {
    const identity = workerIdentity('7@host', { encryption: { required: false, keyIds: all } });
    expect(encryptionOf(identity)).toEqual({ required: false, keyIds, mayHaveMore: true });
  }
});
