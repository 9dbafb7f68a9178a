import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import manifest from '../../../package.json';
import { pagesUnder, ROOT } from '../../support/docs/snippets';

const run = promisify(execFile);

describe('the repository’s URL', () => {
  const BASE = manifest.repository.url.replace(/^git\+|\.git$/g, '');

  test('is written once in package.json, and the other URLs begin with it', () => {
    expect(manifest.homepage).toBe(`${BASE}#readme`);
    expect(manifest.bugs).toEqual({ url: `${BASE}/issues` });
    const files = ['README.md', 'SECURITY.md', 'deploy/prometheus/alerts.yml', ...pagesUnder('docs')];
    const elsewhere = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(BASE));
    expect(elsewhere).toEqual(['deploy/prometheus/alerts.yml']);
  });

  test('can be changed in one place, and all derived URLs change with it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paysession-address-'));
    try {
      await cp(join(ROOT, 'deploy/prometheus'), join(folder, 'deploy/prometheus'), { recursive: true });
      const text = await readFile(join(ROOT, 'package.json'), 'utf8');
      const address = 'https://code.example/bank/pay';
      await writeFile(
        join(folder, 'package.json'),
        text.replace(manifest.repository.url, `git+${address}.git`),
      );
      const code = `import { addressedFiles } from ${JSON.stringify(join(ROOT, 'scripts/reference/addresses.mjs'))};
        console.log(JSON.stringify(addressedFiles(${JSON.stringify(`${folder}/`)})));`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code]);
      const files = JSON.parse(stdout) as Readonly<Record<string, string>>;
      expect(Object.keys(files)).toEqual(['package.json', 'deploy/prometheus/alerts.yml']);
      for (const file of Object.values(files)) expect(file).not.toContain(BASE);
      expect(JSON.parse(files['package.json'] ?? '')).toMatchObject({
        homepage: `${address}#readme`,
        bugs: { url: `${address}/issues` },
      });
      expect(files['deploy/prometheus/alerts.yml']).toContain(
        `runbook_url: ${address}/blob/main/docs/guides/runbook.md#paysessionnoworker\n`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('prevents publication if it is still a placeholder', async () => {
    const args = ['scripts/generate-reference.mjs', '--check', '--publish'];
    const failed = run(process.execPath, args, { cwd: ROOT });
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining('repository.url') });
  });
});
