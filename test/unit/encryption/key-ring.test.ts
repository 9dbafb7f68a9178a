import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { EncryptionKeys } from '../../../src/encryption';
import { KeyRing } from '../../../src/encryption/keys';

const key = (id: string) => ({ id, secret: randomBytes(32) });
const OLD = { current: key('old') };
const NEW = { current: key('new'), earlier: [OLD.current] };

// A user can pass a function that fetches the encryption keys, such as from a key management service.
describe('encryption keys that a function fetches', () => {
  let nowMs: number;
  let fetches: number;
  let answer: () => Promise<EncryptionKeys>;
  let ring: KeyRing;

  beforeEach(() => {
    nowMs = 0;
    fetches = 0;
    answer = () => Promise.resolve(OLD);
    ring = new KeyRing(
      () => {
        fetches += 1;
        return answer();
      },
      () => nowMs,
    );
  });

  const currentId = async () => (await ring.current()).id;

  test('are fetched once for all callers, and again after five minutes', async () => {
    await Promise.all([currentId(), currentId(), ring.find('old')]);
    expect(fetches).toBe(1);
    nowMs = 299_999;
    expect(await currentId()).toBe('old');
    expect(fetches).toBe(1);
    answer = () => Promise.resolve(NEW);
    nowMs = 300_000;
    expect(await currentId()).toBe('new');
    expect(fetches).toBe(2);
  });

  test('are fetched again if data need a missing key, at most every ten seconds', async () => {
    for (let times = 0; times < 20; times += 1) expect(await ring.find('new')).toBeUndefined();
    expect(fetches).toBe(1);
    answer = () => Promise.resolve(NEW);
    nowMs = 10_000;
    expect(await ring.find('new')).toEqual(NEW.current);
    expect(fetches).toBe(2);
  });

  test('stay in use while the function fails', async () => {
    await currentId();
    answer = () => Promise.reject(new Error('down'));
    nowMs = 300_000;
    expect(await currentId()).toBe('old');
  });

  test('count as missing if the function fails; the next fetch is ten seconds later', async () => {
    answer = () => Promise.reject(new Error('down'));
    const missing = { code: 'ENCRYPTION_KEY_MISSING' };
    for (let times = 0; times < 20; times += 1) await expect(ring.current()).rejects.toMatchObject(missing);
    expect(fetches).toBe(1);
    answer = () => Promise.resolve(OLD);
    nowMs = 10_000;
    expect(await currentId()).toBe('old');
  });

  test('are refused if one of them is weak', async () => {
    answer = () => Promise.resolve({ current: { id: 'zero', secret: new Uint8Array(32) } });
    await expect(ring.current()).rejects.toMatchObject({
      code: 'ENCRYPTION_KEY_MISSING',
      cause: { code: 'INVALID_SETTINGS' },
    });
  });
});
