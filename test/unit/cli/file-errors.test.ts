import { mkdir } from 'node:fs/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { reportError } from '../../../cli/shared/report-error';

afterEach(() => {
  jest.restoreAllMocks();
});

test('the command line reports a folder that cannot be created with one message and exit code 2', async () => {
  const written: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const error: unknown = await mkdir(`${__filename}/folder`).catch((caught: unknown) => caught);
  expect(reportError(error)).toBe(2);
  expect(written.join('')).toBe(
    `error INVALID_FILE: ${__filename}/folder cannot be used (ENOTDIR). Choose a file or folder that this user may read and write.\n`,
  );
});
