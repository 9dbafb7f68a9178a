import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from './snippets';

test('the reference says what the code says', async () => {
  const check = promisify(execFile)('npm', ['run', '--silent', 'check:reference'], { cwd: ROOT });
  await expect(check).resolves.toMatchObject({ stderr: '' });
}, 60_000);
