import fs, { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { checkFolder } from '../../../../chaos/faults/invariants/secrets';

test('checkFolder finds secrets even if a server removes a file during the search', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-secrets-'));
  const removed = join(folder, 'removed');
  writeFileSync(removed, '');
  writeFileSync(join(folder, 'kept'), 'it is canary-secret-1');
  const list = fs.readdirSync as (...args: readonly unknown[]) => unknown;
  jest.spyOn(fs, 'readdirSync').mockImplementationOnce(((...args: readonly unknown[]) => {
    const entries = list(...args);
    rmSync(removed);
    return entries;
  }) as never);
  try {
    expect(checkFolder(folder, { secret: ['canary-secret-1'] })).toEqual([
      { invariant: 'd', where: 'kept', what: 'holds the secret' },
    ]);
    expect(existsSync(removed)).toBe(false);
  } finally {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  }
});
