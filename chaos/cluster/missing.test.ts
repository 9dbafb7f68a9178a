import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findPostgres } from './tool/find-postgres';
import { resolveClusterPrograms } from './tool/programs';

/** The tests pass an empty folder as PATH, so that the programs seem to be missing. */

let empty: string;

beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'paysession-empty-'));
});

afterAll(() => rm(empty, { recursive: true, force: true }));

test('if PostgreSQL is missing, the error contains the command that installs it on Debian', async () => {
  await expect(findPostgres({ env: { PATH: empty }, debian: empty })).rejects.toThrow(
    /needs PostgreSQL, .*initdb.*apt-get install postgresql$/,
  );
});

test('if the Temporal server must be built and Go is missing, the error says how to install Go', async () => {
  const env = { PATH: empty, PAYSESSION_CACHE_DIR: empty };
  const resolved = resolveClusterPrograms(undefined, env);
  await expect(resolved).rejects.toMatchObject({ code: 'TEMPORAL_NOT_FOUND' });
  await expect(resolved).rejects.toThrow(/Install Go[.].*build: go is not installed/s);
});
