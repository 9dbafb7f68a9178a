import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { linkPackages, ROOT, writeTypeScript } from './snippets';

test('every TypeScript snippet of the README and the docs compiles as it is printed', async () => {
  const project = await mkdtemp(join(tmpdir(), 'paysession-snippets-'));
  try {
    linkPackages(project, ['@temporalio', '@types', 'vitest']);
    await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
    expect(writeTypeScript(project)).toBeGreaterThan(9);
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', project], {
      cwd: project,
    }).catch((error: unknown) => error as { readonly stdout: string });
    expect(stdout).toBe('');
  } finally {
    await rm(project, { recursive: true });
  }
}, 60_000);
