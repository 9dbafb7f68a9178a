import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPaysession } from '../cli/support';
import { commandOf, commandsOf, filesOf } from '../docs/snippets';
import { createFreshProject, type FreshProject } from './fresh-project';
import { ALL, loading, loadOn, NODE_VERSIONS, PRODUCTION } from './loading';

const RECORDED = join(__dirname, '..', 'replay', 'histories');
const COMMAND_LINE = 'docs/guides/command-line.md';
const TESTING = 'docs/guides/testing.md';

/** A project in which npm alone decided what lies where: `@temporalio` packages may get a protobufjs each. */
let project: FreshProject;

beforeAll(async () => {
  // Each package that is installed must be made for this version of Node.
  const options = ['--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'];
  project = await createFreshProject({ npm: ['npm', ...options] });
  await project.command(commandOf('README.md', /^npm install paysession /));
}, 180_000);

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

test('a session of a world is exported and replays', async () => {
  expect(await project.run(process.execPath, '-e', EXPORT)).toEqual({ ok: true, output: '' });
  const cli = join(project.folder, 'node_modules', '.bin', 'paysession');
  expect(await project.run(cli, 'replay', 'recorded.json')).toMatchObject({ ok: true });
  const { output } = await project.run(cli, 'replay', RECORDED);
  expect(output).toMatch(/^\d{3} replayed: all replay$/m);
}, 60_000);

test('the payment of the command line’s guide is paid, and its commands show it', async () => {
  await project.write(new Map([['request.json', filesOf(COMMAND_LINE).get('request.json') ?? '']]));
  const cli = join(project.folder, 'node_modules', '.bin', 'paysession');
  const ports = ['engine', 'ui', 'sandbox', 'control', 'shop', 'console'].flatMap((name) => [`--${name}-port`, '0']);
  const dev = startPaysession(['dev', '--data', join(project.folder, '.paysession'), ...ports], {}, cli);
  try {
    const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
    await dev.line(/^Ctrl-C/);
    const [start, watch, ...others] = commandsOf(COMMAND_LINE).filter((line) =>
      /^npx paysession (?!dev$)/.test(line),
    );
    const atEngine = (command = '') => project.command(`env TEMPORAL_ADDRESS=${address} ${command}`);
    expect(await atEngine(start)).toContain('/app/?sessionId=');
    expect(await atEngine(watch)).toContain('Completed EFT0301');
    for (const command of others) expect(await atEngine(command)).toContain('Completed EFT0301');
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
}, 60_000);

test.each([
  ['vitest', 'vitest', 'npx vitest run', /Tests +4 passed \(4\)/],
  ['jest', '@jest/globals', 'npx jest', /^Tests: +4 passed, 4 total$/m],
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
  240_000,
);

test.each(NODE_VERSIONS)(
  'every subpath loads on Node %i, required and imported, without a warning',
  async (version) => {
    expect(await loadOn(version, project)).toBe(`v${version} ${ALL.length}\n`);
  },
  120_000,
);

test('what runs in production loads after an install without the optional dependencies', async () => {
  await project.command('npm install --omit=optional');
  await project.write(new Map([['load.cjs', loading(PRODUCTION)]]));
  expect(await project.run(process.execPath, '-e', "require('fastify')")).toMatchObject({ ok: false });
  expect(await project.run(process.execPath, 'load.cjs')).toMatchObject({
    ok: true,
    output: expect.stringMatching(/ 7\n$/),
  });
}, 120_000);

/** The page's tests are for Node's own runner, and say where others have `test` from. */
const forRunner = (code: string, module: string): string => code.replace("'node:test'", `'${module}'`);
