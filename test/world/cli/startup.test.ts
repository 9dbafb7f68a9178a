import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { MAIN, spawnPaysession } from '../../support/cli/run-paysession';

/** A script that prints the packages that the process has loaded, when the process ends. */
const PRINT_PACKAGES = `
  import { createRequire } from 'node:module';
  const { cache } = createRequire('/');
  process.on('exit', () => {
    const names = Object.keys(cache).flatMap((path) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(path)?.[1] ?? []);
    process.stderr.write('\\npackages ' + JSON.stringify([...new Set(names)]));
  });`;

async function packagesOf(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(PRINT_PACKAGES)}`;
  const { stderr } = await spawnPaysession(args, { env: { ...env, NODE_OPTIONS: preload } });
  return JSON.parse(/^packages (.+)$/m.exec(stderr)?.[1] ?? '') as readonly string[];
}

const OF_SERVERS = /^(fastify|undici|@temporalio\/worker|@temporalio\/testing)$/;
const OF_TEMPORAL = /^(zod|protobufjs|@temporalio\/.*|@grpc\/.*)$/;

describe('the command line with the arguments', () => {
  test.each([
    '--version',
    '--help',
    'list --help',
    'completion bash',
    'complete -- list --kind E',
    'sandbox --port no-number',
  ])('%s loads no package of Temporal or of servers', async (line) => {
    const packages = await packagesOf(line.split(' '));
    expect(packages).toContain('commander');
    expect(packages.filter((name) => OF_TEMPORAL.test(name) || OF_SERVERS.test(name))).toEqual([]);
  });

  test('list loads Temporal’s client, and no package of workers or servers', async () => {
    const packages = await packagesOf(['list'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(packages).toContain('@temporalio/client');
    expect(packages.filter((name) => OF_SERVERS.test(name))).toEqual([]);
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a command fails if its standard output is on a full disk', () => {
  const full = openSync('/dev/full', 'w');
  try {
    const stdio = ['ignore', full, 'pipe'] as const;
    expect(
      spawnSync(process.execPath, [MAIN, '--help'], { stdio: [...stdio], encoding: 'utf8' }),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Standard output cannot be written: ENOSPC/),
    });
  } finally {
    closeSync(full);
  }
});

test('a command exits 141, as if SIGPIPE had ended it, if the reader of its output closes the pipe early', async () => {
  const child = spawn(process.execPath, [MAIN, '--help']);
  child.stdout.destroy();
  const exited = once(child, 'exit');
  expect([await text(child.stderr), await exited]).toEqual(['', [141, null]]);
});

test.each([
  [
    ['list'],
    /^error RUNTIME_UNSUPPORTED: paysession needs Node 20\.19 or later, and this is Node 18\.20\.4\./,
  ],
  [['list', '--json'], /^\{"error":\{"code":"RUNTIME_UNSUPPORTED",.*"exitCode":2\}\}$/m],
  [['watch', 'order-1', '--jsonl'], /^\{"error":\{"code":"RUNTIME_UNSUPPORTED",.*"exitCode":2\}\}$/m],
])(
  'on a version of Node that is too old, the command %j names the version that it needs, and exits 2',
  async (args, message) => {
    const old = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });
    delete Array.prototype.toSorted;`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };
    const { code, stdout, stderr } = await spawnPaysession(args, { env });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  },
);
