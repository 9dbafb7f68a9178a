import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LastEntries } from '../../../ledger/log/verify';

const hashOf = (text: string) => createHash('sha256').update(text).digest();
const NONE = Buffer.alloc(0);

test('LastEntries keeps the last entry’s number and hash for each of thousands of sessions', () => {
  const last = new LastEntries();
  const sessions = Array.from({ length: 5_000 }, (_session, index) => `session ${index}`);
  const known = [1, 2].map((number) =>
    sessions.every((session) => {
      const isNext = last.isFollowedBy(
        session,
        number,
        number === 1 ? hashOf('own key') : hashOf(`${session} 1`),
      );
      last.set(session, number, hashOf(`${session} ${number}`));
      return isNext;
    }),
  );
  expect(known).toEqual([true, true]);
  const areFollowedBy = (number: number, previous: (session: string) => Uint8Array) =>
    sessions.filter((session) => last.isFollowedBy(session, number, previous(session))).length;
  expect(areFollowedBy(3, (session) => hashOf(`${session} 2`))).toBe(sessions.length);
  expect(areFollowedBy(3, (session) => hashOf(`${session} 1`))).toBe(0);
  expect(areFollowedBy(2, (session) => hashOf(`${session} 2`))).toBe(0);
  expect(areFollowedBy(3, () => NONE)).toBe(0);
});

test('a session’s entries must begin with the number 1 and with a previous hash', () => {
  const last = new LastEntries();
  expect(last.isFollowedBy('new', 1, hashOf('own key'))).toBe(true);
  expect(last.isFollowedBy('new', 2, hashOf('own key'))).toBe(false);
  expect(last.isFollowedBy('new', 1, NONE)).toBe(false);
});
