import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import manifest from '../../package.json';
import { ROOT } from '../support/docs/snippets';

const run = promisify(execFile);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-supply-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The time limit for two builds: ten times their duration on an idle machine. */
const TWO_BUILDS_MS = 15 * 60_000;

describe('the packed package', () => {
  test(
    'has the same bytes if it is built again from the same sources in another folder',
    async () => {
      const one = await builtAndPacked(join(folder, 'one'));
      const other = await builtAndPacked(join(folder, 'one-with-a-longer-name'));
      expect(one).toMatch(/^sha512-/);
      expect(other).toBe(one);
    },
    TWO_BUILDS_MS,
  );

  test('contains no path of the machine that has built it', () => {
    const bundle = readFileSync(join(ROOT, 'dist', 'worker', 'workflow-bundle.js'), 'utf8');
    const [, encoded = ''] = /sourceMappingURL=data:[^,]*;base64,(\S+)/.exec(bundle) ?? [];
    const { sources } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Sources;
    expect(sources).toContain('paysession/dist/workflows/payment-session.js');
    expect(sources.filter((source) => source.startsWith('/'))).toEqual([]);
    expect(bundle.replace(encoded, '')).not.toContain(ROOT);
  });

  interface Sources {
    readonly sources: readonly string[];
  }
});

/** Copies the repository without build results, builds and packs the copy, and returns the packed file’s digest. */
async function builtAndPacked(copy: string): Promise<string> {
  const left = new Set(['.git', '.built-from', 'dist', 'node_modules', '.paysession']);
  await cp(ROOT, copy, {
    recursive: true,
    filter: (path) => !left.has(relative(ROOT, path).split('/').at(-1) ?? ''),
  });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const packed = await run('npm', ['pack', '--json', '--offline'], {
    cwd: copy,
    maxBuffer: 16 * 1024 * 1024,
  });
  const [{ integrity = '' } = {}] = JSON.parse(packed.stdout) as readonly { readonly integrity?: string }[];
  return integrity;
}

describe('the bill of materials', () => {
  const sbom = async (...args: readonly string[]) => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'scripts', 'sbom.mjs'), ...args], {
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  };

  test('is the same each time, and lists all packages that this package needs, without development dependencies', async () => {
    const text = await sbom();
    expect(await sbom()).toBe(text);
    const { components } = JSON.parse(text) as Bill;
    const names = components.map(({ name }) => name);
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    expect(names).toEqual(expect.arrayContaining([...declared, '@temporalio/core-bridge', '@grpc/grpc-js']));
    expect(names).not.toContain('jest');
    expect(scopeOf(components, 'zod')).toBe('required');
    expect(scopeOf(components, '@temporalio/core-bridge')).toBe('optional');
    for (const { name, version, purl, hashes } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  test('lists only packages with permissive licences', async () => {
    const { components } = JSON.parse(await sbom()) as Bill;
    const permissive =
      /^(MIT|ISC|0BSD|Unlicense|BSD-[23]-Clause|Apache-2[.]0|BlueOak-1[.]0[.]0|CC-BY-4[.]0|Apache-2[.]0 AND MIT)$/;
    const others = components.filter(({ licenses }) => !permissive.test(licenses?.[0]?.expression ?? ''));
    // The package.json of unionfs names no licence. Its LICENSE file has the Unlicense.
    expect(others.map(({ name }) => name)).toEqual(['unionfs']);
  });

  test('passes `--check` if the installed packages match the lock file', async () => {
    expect(await sbom('--check')).toMatch(
      /^\d+ packages of the bill of materials are those that are installed\n$/,
    );
    await writeTree({ version: '1.2.3', integrity: 'sha512-AAAA' });
    expect(await sbom('--check', folder)).toMatch(/^1 packages /);
  });

  test.each([
    [
      'another version',
      { version: '1.2.4', integrity: 'sha512-AAAA' },
      'node_modules/pay is 1.2.4, and 1.2.3 in',
    ],
    [
      'other contents',
      { version: '1.2.3', integrity: 'sha512-BBBB' },
      'node_modules/pay was installed from something',
    ],
  ])('fails `--check` if an installed package has %s', async (_, installed, message) => {
    await writeTree(installed);
    await expect(sbom('--check', folder)).rejects.toMatchObject({ stderr: expect.stringContaining(message) });
  });

  test('fails `--check` if a package is missing, or is not in the lock file', async () => {
    await writeTree({ version: '1.2.3', integrity: 'sha512-AAAA' });
    await mkdir(join(folder, 'node_modules', '@other', 'guest'), { recursive: true });
    await writeFile(join(folder, 'node_modules', '@other', 'guest', 'package.json'), '{}');
    const guest = 'node_modules/@other/guest is not in package-lock.json';
    await expect(sbom('--check', folder)).rejects.toMatchObject({ stderr: expect.stringContaining(guest) });
    await rm(join(folder, 'node_modules', 'pay'), { recursive: true });
    const none = 'node_modules/pay is not installed';
    await expect(sbom('--check', folder)).rejects.toMatchObject({ stderr: expect.stringContaining(none) });
  });

  /** Writes a project whose lock file has one dependency: pay 1.2.3. `version` and `integrity` describe what npm has installed instead. */
  async function writeTree({ version, integrity }: { readonly version: string; readonly integrity: string }) {
    const pay = { version: '1.2.3', integrity: 'sha512-AAAA' };
    const packages = {
      '': { name: 'shop', version: '1.0.0', dependencies: { pay: '^1.0.0' } },
      'node_modules/pay': pay,
    };
    await mkdir(join(folder, 'node_modules', 'pay'), { recursive: true });
    const files = {
      'package-lock.json': { packages },
      'node_modules/.package-lock.json': { packages: { 'node_modules/pay': { version, integrity } } },
      'node_modules/pay/package.json': { name: 'pay', version },
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), JSON.stringify(content));
  }

  interface Component {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly scope: string;
    readonly licenses?: readonly { readonly expression: string }[];
    readonly hashes: readonly { readonly content: string }[];
  }

  interface Bill {
    readonly components: readonly Component[];
  }

  const scopeOf = (components: readonly Component[], name: string) =>
    components.find((component) => component.name === name)?.scope;
});
