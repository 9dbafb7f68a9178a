import { TSC } from '../support/docs/snippets';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { version as temporal } from '@temporalio/client/package.json';
import { createConsumerProject, type ConsumerProject } from './consumer-project';
import { loading, PRODUCTION } from './loading';

/** A worker’s project for production, installed without the package’s optional dependencies. */
let project: ConsumerProject;

const WORKER = ['@temporalio/worker', '@temporalio/nexus'];

beforeAll(async () => {
  project = await createConsumerProject({ omit: 'optional', chosen: WORKER });
});

afterAll(() => project.close());

const ACCOUNT = {
  PAYSESSION_BASE_URL: 'http://127.0.0.1:1',
  PAYSESSION_CLIENT_ID: 'shop',
  PAYSESSION_CLIENT_SECRET: 'secret',
};

interface Loaded {
  /** The loaded packages, as far as paysession’s package.json declares them. */
  readonly packages: readonly string[];
  /** The folders in paysession’s `dist` from which files were loaded. */
  readonly folders: readonly string[];
  readonly bytes: number;
}

/** Loads a subpath in a new process, and returns the packages, folders and bytes that it has loaded. */
async function load(subpath: string, from = project): Promise<Loaded> {
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
  const { ok, output } = await from.node('--no-warnings', '-e', code);
  if (!ok) throw new Error(output);
  const loaded = JSON.parse(output) as Loaded;
  const { dependencies, optionalDependencies, peerDependencies } = from.manifest;
  const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  return { ...loaded, packages: loaded.packages.filter((name) => name in declared).sort() };
}

describe('a production install', () => {
  test('loads no package and less than 40 kB of code for paysession/contract', async () => {
    const { packages, folders, bytes } = await load('paysession/contract');
    expect([packages, folders]).toEqual([[], ['src']]);
    expect(bytes).toBeLessThan(40_000);
  });

  test('loads no built-in module of Node for paysession/contract', async () => {
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
    ['paysession/nexus', ['nexus-rpc'], ['src']],
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
      ['worker', 'src', 'activities'],
    ],
    ['paysession/embed', [], ['src']],
  ])('loads only the listed packages and folders for %s', async (subpath, packages, folders) => {
    const loaded = await load(subpath);
    expect([loaded.packages, loaded.folders]).toEqual([packages, folders]);
  });
});

test('importing the testing kit does not load Temporal or the sandbox', async () => {
  const whole = await createConsumerProject();
  try {
    const { packages, folders } = await load('paysession/testing', whole);
    expect([packages, folders]).toEqual([['zod'], ['testkit', 'src', 'worker']]);
    const names =
      "Object.entries(require('paysession/testing')).map(([name, value]) => `${name} ${typeof value}`)";
    expect((await whole.node('-p', `${names}.sort().join()`)).output).toBe(
      'createPaymentWorld function,exportSession function,parseHistory function,readHistories function,replayHistories function,replayOpenSessions function\n',
    );
  } finally {
    await whole.close();
  }
});

describe('without the optional dependencies', () => {
  test.each([
    ['paysession/sandbox', 'The sandbox'],
    ['paysession/testing', 'The testing kit'],
  ])('%s fails with the install command', async (subpath, part) => {
    const code = `try { require('${subpath}') } catch ({ code, message }) { console.log(code, message) }`;
    const { output } = await project.node('-e', code);
    expect(output).toContain(`MODULE_NOT_FOUND ${part} needs packages that are not installed: fastify.`);
  });

  test('paysession/opentelemetry fails with the install command', async () => {
    const code = `try { require('paysession/opentelemetry') } catch ({ code, message }) { console.log(code, message) }`;
    const { output } = await project.node('-e', code);
    expect(output).toBe(
      'MODULE_NOT_FOUND Tracing needs packages that are not installed: @opentelemetry/api. Install them: npm install @opentelemetry/api\n',
    );
  });

  test('the command line prints the install command, and exits 2', async () => {
    const { status, stderr } = await paysession(project, 'dev');
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^error: The command line needs packages that are not installed: commander, cli-table3, picocolors, ora\. .*\n$/,
    );
  });

  test('a user’s production code type-checks', async () => {
    const config = join(project.folder, 'tsconfig.production.json');
    const strict = { target: 'es2022', module: 'node16', strict: true, noEmit: true, skipLibCheck: true };
    const compilerOptions = { ...strict, types: ['node'] };
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['production.ts'] }));
    expect((await project.node(TSC, '-p', config)).output).toBe('');
  });
});

describe('without the packages of the worker', () => {
  let clients: ConsumerProject;

  beforeAll(async () => {
    clients = await createConsumerProject({ omit: WORKER });
  });

  afterAll(() => clients.close());

  const WANTED = WORKER.map((name) => `${name}@${temporal}`);
  const MISSING = `The worker needs packages that are not installed: ${WANTED.join(', ')}. Install them: npm install ${WANTED.join(' ')}\n`;

  test('all subpaths for production load, except the worker’s', async () => {
    const code = loading(PRODUCTION.filter((subpath) => subpath !== '/worker'));
    expect(await clients.node('-e', code)).toEqual({ ok: true, output: expect.stringMatching(/ 6\n$/) });
  });

  test.each(['paysession/worker', 'paysession/testing'])(
    '%s fails with the install command',
    async (subpath) => {
      const code = `try { require('${subpath}') } catch ({ code, message }) { console.log(code, message) }`;
      const { output } = await clients.node('-e', code);
      expect(output).toBe(`MODULE_NOT_FOUND ${MISSING}`);
    },
  );

  test.each(['worker', 'dev', 'demo'])(
    'the command %s prints the install command, and exits 2',
    async (command) => {
      const { status, stderr } = await paysession(clients, command);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: expect.stringContaining(`error: ${MISSING}`),
      });
    },
  );

  test('the command state calls the Temporal server', async () => {
    const { status, stderr } = await paysession(clients, 'state', 'order');
    expect({ status, stderr }).toEqual({
      status: 5,
      stderr: expect.stringContaining('TEMPORAL_UNAVAILABLE'),
    });
  });
});

describe('if npm has skipped one optional package', () => {
  let others: ConsumerProject;

  const without = async (name: string) => {
    others = await createConsumerProject({ omit: [name] });
  };

  afterEach(() => others.close());

  describe('such as classic-level,', () => {
    beforeEach(() => without('classic-level'));

    test('the commands state, cancel and worker call the Temporal server, and --help works', async () => {
      expect(await paysession(others, '--help')).toMatchObject({ status: 0, stderr: '' });
      // There is no Temporal server here. The error TEMPORAL_UNAVAILABLE shows that the commands have loaded.
      for (const args of [['state', 'order'], ['cancel', 'order'], ['worker']]) {
        const { status, stderr } = await paysession(others, ...args);
        expect({ args, status, stderr }).toEqual({
          args,
          status: 5,
          stderr: expect.stringContaining('error TEMPORAL_UNAVAILABLE'),
        });
      }
    });

    test('a sandbox without a data folder works, and a sandbox with a data folder fails with the install command', async () => {
      const code = `
        const { createSandbox } = require('paysession/sandbox');
        (async () => {
          const sandbox = createSandbox();
          const { url } = await sandbox.listen();
          console.log((await fetch(url)).ok);
          await sandbox.close();
          await createSandbox({ dataDir: 'data' }).listen().catch(({ code, message }) => console.log(code, message));
          console.log(require('node:fs').existsSync('data'));
        })();`;
      const lines = (await others.node('-e', code)).output.trim().split('\n');
      expect(lines).toEqual([
        'true',
        expect.stringContaining(
          'MODULE_NOT_FOUND A sandbox with a data folder needs packages that are not installed: classic-level.',
        ),
        'false',
      ]);
    });

    test('the command sandbox with a data folder prints the install command, and exits 2', async () => {
      const { status, stderr } = await paysession(others, 'sandbox', '--port', '0', '--data', 'data');
      expect(status).toBe(2);
      expect(stderr).toMatch(/^error: A sandbox with a data folder needs packages .*: classic-level\. .*\n$/);
    });
  });

  test.each([
    ['fastify', 'The sandbox'],
    ['standardwebhooks', 'The sample shop'],
  ])('the command dev prints that %s is missing, and exits 2', async (name, part) => {
    await without(name);
    const { status, stderr } = await paysession(others, 'dev');
    expect(status).toBe(2);
    expect(stderr).toContain(`error: ${part} needs packages that are not installed: ${name}. `);
  });

  test('the command demo prints that filling its cache needs proper-lockfile', async () => {
    await without('proper-lockfile');
    const env = { PATH: others.folder, PAYSESSION_CACHE_DIR: join(others.folder, 'cache') };
    const { stderr } = await paysession({ ...others, env }, 'demo');
    expect(stderr).toContain('error TEMPORAL_NOT_FOUND');
    expect(stderr).toContain('Filling the cache needs packages that are not installed: proper-lockfile.');
  });
});

/** Runs the installed command line with the address of a Temporal server that does not answer. */
async function paysession(
  consumer: ConsumerProject & { readonly env?: NodeJS.ProcessEnv },
  ...args: readonly string[]
): Promise<{ readonly status: number; readonly stderr: string }> {
  const { folder, manifest, env } = consumer;
  const main = join(folder, 'node_modules', 'paysession', manifest.bin['paysession'] ?? '');
  const settings = env ?? { TEMPORAL_ADDRESS: '127.0.0.1:1', ...ACCOUNT };
  const code = `
    const { status, stderr } = require('node:child_process').spawnSync(
      process.execPath,
      ${JSON.stringify([main, ...args])},
      { encoding: 'utf8', env: { ...process.env, ...${JSON.stringify(settings)} } },
    );
    console.log(JSON.stringify({ status, stderr }));`;
  const { output } = await consumer.node('-e', code);
  return JSON.parse(output) as { readonly status: number; readonly stderr: string };
}
