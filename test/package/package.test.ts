import { TSC } from '../support/docs/snippets';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConsumerProject, tool, type ConsumerProject } from './consumer-project';

let project: ConsumerProject;
let subpaths: readonly string[];

beforeAll(async () => {
  project = await createConsumerProject();
  subpaths = Object.keys(project.manifest.exports).map((path) => `paysession${path.slice(1)}`);
});

afterAll(() => project.close());

test('the package contains only the built code, the documents, the deployment files and the examples', () => {
  const others = project.packed.filter(
    (path) => !/^(dist|docs|deploy\/(grafana|kubernetes|prometheus)|examples)\//.test(path),
  );
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  expect(project.packed).toContain('dist/worker/workflow-bundle.js');
  const examples = project.packed.filter((path) => path.startsWith('examples/'));
  expect(examples).toEqual(expect.arrayContaining(['examples/README.md', 'examples/checkout/shop.ts']));
  expect(examples.filter((path) => path.startsWith('examples/dist/'))).toEqual([]);
  const operated = [
    'deploy/prometheus/alerts.yml',
    'deploy/grafana/paysession.json',
    'deploy/kubernetes/base/kustomization.yaml',
  ];
  expect(project.packed).toEqual(expect.arrayContaining(operated));
  // The package has no source maps, because it does not contain the sources.
  expect(project.packed.filter((path) => path.endsWith('.map'))).toEqual([]);
});

test('the package contains the styles and scripts of all web pages, unchanged', async () => {
  const root = join(__dirname, '..', '..');
  const folders = ['src', 'sandbox', 'console', 'examples/checkout'];
  const names = await Promise.all(folders.map((folder) => readdir(join(root, folder), { recursive: true })));
  const files = names.flatMap((inside, index) => inside.map((name) => join(folders[index] ?? '', name)));
  const written = files.filter((name) => /[.](?:css|js)$/.test(name));
  expect(written).toContain('src/web/assets/page.js');
  for (const path of written) {
    const packed = join(project.folder, 'node_modules', 'paysession', 'dist', path);
    expect(await readFile(packed, 'utf8')).toBe(await readFile(join(root, path), 'utf8'));
  }
});

test('the package contains all pages that the README links to, and all files that those pages link to', async () => {
  const links = await linksOf('README.md');
  expect(links).not.toEqual([]);
  const further = await Promise.all(links.map(linksOf));
  expect(project.packed).toEqual(expect.arrayContaining([...links, ...further.flat()]));
});

/** Returns the files that a page of the package links to. */
async function linksOf(page: string): Promise<readonly string[]> {
  const markdown = await readFile(join(project.folder, 'node_modules', 'paysession', page), 'utf8');
  return Array.from(markdown.matchAll(/\]\(([^)#:]+)[)#]/g), ([, link = '']) => join(dirname(page), link));
}

describe('every subpath of the package', () => {
  const NAMES =
    '(module) => Object.keys(module).filter((name) => !/^(default|__esModule|module\\.exports)$/.test(name))';

  test('can be required and imported, and exports the same names both ways', async () => {
    const code = `
      const names = ${NAMES};
      (async () => {
        for (const path of ${JSON.stringify(subpaths)}) {
          const required = names(require(path)).sort();
          const imported = names(await import(path, path.endsWith('.json') ? { with: { type: 'json' } } : {})).sort();
          console.log(JSON.stringify({ path, required, imported }));
        }
        process.exit();
      })();`;
    const { ok, output } = await project.node('--no-warnings', '-e', code);
    expect([ok, ok ? '' : output]).toEqual([true, '']);
    const found = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Names);
    expect(found.map(({ path }) => path)).toEqual(subpaths);
    for (const { path, required, imported } of found) {
      if (path.endsWith('.json')) continue;
      expect(required.length).toBeGreaterThan(0);
      expect([path, imported]).toEqual([path, required]);
      expect([path, required]).toEqual([path, await namesInSource(path)]);
    }
  });

  /** Returns the names that the source of a subpath exports. */
  async function namesInSource(path: string): Promise<readonly string[]> {
    const target = project.manifest.exports[path.replace('paysession', '.')];
    if (typeof target !== 'object') throw new Error(`${path} has no types`);
    const { types } = 'types' in target ? target : target.default;
    const source = types.replace('./dist/', '../../').replace(/\.d\.ts$/, '');
    const module = (await import(source)) as object;
    return Object.keys(module)
      .filter((name) => name !== 'default')
      .sort();
  }

  interface Names {
    readonly path: string;
    readonly required: readonly string[];
    readonly imported: readonly string[];
  }

  test('is listed in `exports`, and other paths of the package cannot be required', async () => {
    const { ok, output } = await project.node('-e', "require('paysession/dist/src/index.js')");
    expect(ok).toBe(false);
    expect(output).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

test('the installed command prints its help', async () => {
  const { bin } = project.manifest;
  const main = join(project.folder, 'node_modules', 'paysession', bin['paysession'] ?? '');
  expect(await project.node(main, '--help')).toMatchObject({
    ok: true,
    output: expect.stringContaining('Usage: paysession'),
  });
});

describe('the package’s types', () => {
  const SOURCE = 'every-subpath.ts';
  const COMPILERS = { 6: tool('typescript', 'bin', 'tsc'), 7: TSC };

  test.each(
    ([6, 7] as const).flatMap((version) => [
      [version, 'node16, CommonJS', 'every-subpath.cts', 'node16', 'node16'] as const,
      [version, 'node16, ES modules', 'every-subpath.mts', 'node16', 'node16'] as const,
      [version, 'a bundler', 'every-subpath.ts', 'esnext', 'bundler'] as const,
    ]),
  )(
    'are valid in TypeScript %i under the module resolution of %s',
    async (version, _, file, module, moduleResolution) => {
      const config = join(project.folder, `tsconfig.${file}.json`);
      if (file !== SOURCE) await copyFile(join(project.folder, SOURCE), join(project.folder, file));
      const strict = { target: 'es2022', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] };
      await writeFile(
        config,
        JSON.stringify({ compilerOptions: { ...strict, module, moduleResolution }, files: [file] }),
      );
      const { output } = await project.node(COMPILERS[version], '-p', config);
      expect(output).toBe('');
    },
  );
});
