import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConsumerProject, tool, type ConsumerProject } from './consumer-project';

/** A project for production: the package's optional dependencies are left out. */
let project: ConsumerProject;

beforeAll(async () => {
  project = await createConsumerProject({ omitOptional: true });
}, 60_000);

afterAll(() => project.close());

interface Loaded {
  /** Packages of node_modules, but for what they load themselves. */
  readonly packages: readonly string[];
  /** Folders of the package's own `dist`. */
  readonly folders: readonly string[];
  readonly bytes: number;
}

/** Loads a subpath in a process of its own, and tells what that has loaded. */
async function load(subpath: string): Promise<Loaded> {
  const code = `
    require(${JSON.stringify(subpath)});
    const { statSync } = require('node:fs');
    const files = Object.keys(require.cache);
    const own = /[/]paysession[/]dist[/]([^/]+)/;
    const ofPackage = /.*[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/;
    console.log(JSON.stringify({
      packages: [...new Set(files.filter((file) => !own.test(file)).map((file) => ofPackage.exec(file)?.[1]))],
      folders: [...new Set(files.map((file) => own.exec(file)?.[1]).filter(Boolean))],
      bytes: files.map((file) => statSync(file).size).reduce((sum, size) => sum + size, 0),
    }));
    process.exit();`;
  const { ok, output } = await project.node('--no-warnings', '-e', code);
  if (!ok) throw new Error(output);
  const loaded = JSON.parse(output) as Loaded;
  const { dependencies, optionalDependencies, peerDependencies } = project.manifest;
  const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  return { ...loaded, packages: loaded.packages.filter((name) => name in declared).sort() };
}

describe('what runs in production loads no server, database or command-line parser', () => {
  test('the contract loads no package at all, and little code', async () => {
    const { packages, folders, bytes } = await load('paysession/contract');
    expect([packages, folders]).toEqual([[], ['src']]);
    expect(bytes).toBeLessThan(40_000);
  });

  test('nor anything of Node', async () => {
    const builtins = `
      const { Module } = require('node:module');
      const { _load: load } = Module;
      const asked = [];
      Module._load = function (name, ...rest) { asked.push(name); return load.call(this, name, ...rest); };
      require('paysession/contract');
      console.log(JSON.stringify(asked.filter((name) => Module.isBuiltin(name))));`;
    expect(await project.node('-e', builtins)).toEqual({ ok: true, output: '[]\n' });
  });

  test.each([
    [
      'paysession',
      ['@temporalio/client', '@temporalio/common', '@temporalio/proto', 'nexus-rpc', 'zod'],
      ['src'],
    ],
    [
      'paysession/workflows',
      ['@temporalio/common', '@temporalio/workflow', 'nexus-rpc'],
      ['workflows', 'src'],
    ],
    [
      'paysession/activities',
      ['@temporalio/activity', '@temporalio/common', 'nexus-rpc', 'undici', 'zod'],
      ['activities', 'src'],
    ],
    ['paysession/nexus', ['nexus-rpc'], ['nexus', 'src']],
    [
      'paysession/worker',
      [
        '@temporalio/activity',
        '@temporalio/client',
        '@temporalio/common',
        '@temporalio/nexus',
        '@temporalio/proto',
        '@temporalio/worker',
        '@temporalio/workflow',
        'nexus-rpc',
        'undici',
        'zod',
      ],
      ['worker', 'activities', 'src', 'nexus'],
    ],
    ['paysession/embed', [], ['embed']],
  ])('%s', async (subpath, packages, folders) => {
    const loaded = await load(subpath);
    expect([loaded.packages, loaded.folders]).toEqual([packages, folders]);
  });
});

describe('without the optional dependencies', () => {
  const MISSING = 'classic-level, commander, fastify, proper-lockfile';

  test.each([
    ['paysession/sandbox', 'The sandbox'],
    ['paysession/testing', 'The testing kit'],
  ])('%s says what to install', async (subpath, part) => {
    const code = `try { require('${subpath}') } catch ({ code, message }) { console.log(code, message) }`;
    const { output } = await project.node('-e', code);
    expect(output).toContain(`MODULE_NOT_FOUND ${part} needs packages that are not installed: ${MISSING}.`);
  });

  test('so does the command line, which ends with 2', async () => {
    const main = join(project.folder, 'node_modules', 'paysession', project.manifest.bin['paysession'] ?? '');
    const code = `
      const { status, stderr } = require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(main)}, 'dev']);
      console.log(status, String(stderr));`;
    const { output } = await project.node('-e', code);
    expect(output).toContain(`2 error: The command line needs packages that are not installed: ${MISSING}.`);
    expect(output).not.toContain(' at ');
  });

  test('what runs in production type-checks', async () => {
    const config = join(project.folder, 'tsconfig.production.json');
    const strict = { target: 'es2022', module: 'node16', strict: true, noEmit: true, skipLibCheck: true };
    const compilerOptions = { ...strict, types: ['node'] };
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['production.ts'] }));
    expect((await project.node(tool('typescript', 'bin', 'tsc'), '-p', config)).output).toBe('');
  }, 60_000);
});
