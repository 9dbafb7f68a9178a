import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ROOT } from '../support/docs/snippets';
import { createFreshProject, type FreshProject } from './fresh-project';
import { loading } from './loading';

// Runs the docs’ install commands for programs without a worker. Checks the size of each install, and which subpaths load.

let project: FreshProject;

beforeEach(async () => {
  project = await createFreshProject({ npm: ['npm', '--prefer-offline', '--no-audit', '--no-fund'] });
});

afterEach(() => project.close());

const [CLIENTS = '', PAGES = ''] = Array.from(
  readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8').matchAll(/`(npm install --omit=optional [^`]+)`/g),
  ([, command]) => command,
);

test.each([
  ['a client', CLIENTS, 50, ['', '/contract', '/embed', '/workflows', '/activities', '/nexus']],
  ['web pages and request checks', PAGES, 25, ['/contract', '/embed']],
])(
  'the documented install for %s ("%s") takes less than %i MB, and its subpaths load',
  async (_, command, limit, subpaths) => {
    await project.command(command);
    expect(await megabytesOf(join(project.folder, 'node_modules'))).toBeLessThan(limit);
    await project.write(new Map([['load.cjs', loading(subpaths)]]));
    expect(await project.run(process.execPath, 'load.cjs')).toMatchObject({
      ok: true,
      output: expect.stringMatching(new RegExp(` ${subpaths.length}\n$`)),
    });
  },
);

/** Returns the size of all files in a folder, in megabytes. */
async function megabytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
}
