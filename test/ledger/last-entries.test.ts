import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LastEntries } from '../../ledger/log/last-entries';

const hashOf = (text: string) => createHash('sha256').update(text).digest();
const NONE = Buffer.alloc(0);

test('the last entries of thousands of sessions are each known by number and hash', () => {
  const last = new LastEntries();
  const sessions = Array.from({ length: 5_000 }, (_session, index) => `session ${index}`);
  for (const number of [1, 2]) {
    for (const session of sessions) {
      expect(last.isFollowedBy(session, number, number === 1 ? NONE : hashOf(`${session} 1`))).toBe(true);
      last.set(session, number, hashOf(`${session} ${number}`));
    }
  }
  for (const session of sessions) {
    expect(last.isFollowedBy(session, 3, hashOf(`${session} 2`))).toBe(true);
    expect(last.isFollowedBy(session, 3, hashOf(`${session} 1`))).toBe(false);
    expect(last.isFollowedBy(session, 2, hashOf(`${session} 2`))).toBe(false);
    expect(last.isFollowedBy(session, 3, NONE)).toBe(false);
  }
});

test('a session begins with number 1 and nothing before it', () => {
  const last = new LastEntries();
  expect(last.isFollowedBy('new', 1, NONE)).toBe(true);
  expect(last.isFollowedBy('new', 2, NONE)).toBe(false);
  expect(last.isFollowedBy('new', 1, hashOf('another'))).toBe(false);
});
