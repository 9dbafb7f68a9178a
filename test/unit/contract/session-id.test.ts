import { describe, expect, test } from '@jest/globals';
import { isSameSession, isSessionId } from '../../../src/contract';

const ID = '6f0f1d5e-6b8e-4a54-9d10-0c3a5a2b7c11';
const OTHER = '11111111-2222-4333-8444-555555555555';

describe('a session id', () => {
  test.each([ID, ID.toUpperCase(), '00000000-0000-0000-0000-000000000000'])('is a UUID: %s', (text) => {
    expect(isSessionId(text)).toBe(true);
  });

  test.each([
    '',
    'not-a-uuid',
    '../../x',
    ID.slice(1),
    `${ID}0`,
    ` ${ID}`,
    `${ID}\n`,
    `{${ID}}`,
    ID.replaceAll('-', ''),
    ID.replace('6', 'g'),
  ])('is not %j', (text) => {
    expect(isSessionId(text)).toBe(false);
  });

  test.each([5, null, undefined, [ID], { ID }])('is not the value %p', (value) => {
    expect(isSessionId(value)).toBe(false);
  });
});

describe('two session ids', () => {
  test.each([
    ['mean one session if they are equal', ID, ID, true],
    ['mean one session if they differ only in the case of letters', ID, ID.toUpperCase(), true],
    ['mean two sessions if they differ', ID, OTHER, false],
    ['mean two sessions if they are not UUIDs, and differ in the case of letters', 'abc', 'ABC', false],
    ['mean one session if they are not UUIDs, and are equal', 'abc', 'abc', true],
  ])('%s', (_name, one, other, same) => {
    expect(isSameSession(one, other)).toBe(same);
  });
});
