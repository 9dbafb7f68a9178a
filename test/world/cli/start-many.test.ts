import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import { createWorld, type World } from '../../support/worlds/world';
import { MAIN, paysession } from '../../support/cli/run-paysession';
import type { LineResult } from '../../../cli/commands/session/start-many';

const folder = mkdtempSync(join(tmpdir(), 'paysession-start-many-'));
let world: World;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  world = await createWorld();
  env = {
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
    PAYSESSION_TASK_QUEUE: world.taskQueue,
  };
});

afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const run = (args: readonly string[], stdin?: string) =>
  paysession(['start-many', ...args], { env, ...(stdin !== undefined && { stdin }) });

function fileOf(lines: readonly string[]): string {
  const path = join(folder, `${randomUUID()}.jsonl`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

const good = () => JSON.stringify(world.input(eft('sandbox-completes')));
const keyOf = (line: string) => (JSON.parse(line) as { key: string }).key;
const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

describe('the command start-many', () => {
  test('starts the sessions of a file; a second run attaches to them and starts none', async () => {
    const lines = Array.from({ length: 25 }, good);
    const path = fileOf([...lines, '']);
    const before = creates();
    const first = await run([path, '--concurrency', '5']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(
      [...lines.map((line) => `started ${keyOf(line)}`), '25 started, 0 attached, 0 failed', ''].join('\n'),
    );
    const second = await run([path]);
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^(attached .*\n){25}0 started, 25 attached, 0 failed\n$/);
    await Promise.all(lines.map((line) => world.sessions.get(keyOf(line)).result()));
    expect(creates()).toBe(before + 25);
  });

  test('starts the sessions of a pipe', async () => {
    const lines = [good(), good()];
    const command = 'cat "$0" | "$1" "$2" start-many /dev/stdin';
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', command, fileOf(lines), process.execPath, MAIN],
      { env: { ...process.env, ...env } },
    );
    expect(stdout.trim().split('\n').at(-1)).toBe('2 started, 0 attached, 0 failed');
  });

  test('reports each invalid line with its number, starts the valid lines, and exits 7', async () => {
    const [one, two, three] = [good(), good(), good()];
    const invalid = JSON.stringify({ key: 'bad', request: { ...eft(), amount: 0, direction: 'CREDIT' } });
    const other = JSON.stringify({ ...world.input({ ...eft(), amount: 26 }), key: keyOf(one) });
    const stdin = [one, '{not json', '', two, '[1]', invalid, '{}', other, `\ufeff${three}\r`].join('\n');
    // Two lines have the same key. With one line at a time, the first of the two starts the session.
    const { code, stdout, stderr } = await run(['-', '--concurrency', '1'], stdin);
    expect(code).toBe(7);
    expect(stdout.split('\n')).toEqual([
      ...[one, two, three].map((line) => `started ${keyOf(line)}`),
      '3 started, 0 attached, 5 failed (2 INVALID_FILE, 2 INVALID_REQUEST, 1 SESSION_CONFLICT)',
      '',
    ]);
    const failures = stderr.trimEnd().split('\n');
    expect(failures.map((line) => /^line \d+/.exec(line)?.[0]).sort()).toEqual(
      [2, 5, 6, 7, 8].map((number) => `line ${number}`),
    );
    expect(stderr).toContain('line 2: INVALID_FILE: is not JSON: ');
    expect(stderr).toMatch(/line 6 \(bad\): INVALID_REQUEST: .*request\.amount.*request\.direction/);
    expect(stderr).toMatch(/line 8 .*: SESSION_CONFLICT/);
  });

  test('prints one JSON object a line with --jsonl, and the summary as the last line', async () => {
    const line = good();
    const { code, stdout, stderr } = await run(['-', '--jsonl'], `${line}\n7\n${line}\n`);
    expect({ code, stderr }).toEqual({ code: 7, stderr: '' });
    const printed = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as LineResult & { summary?: object });
    const workflowId = `payment-session/${keyOf(line)}`;
    const results = printed.slice(0, -1).sort((a, b) => a.line - b.line);
    expect(results).toMatchObject([{ workflowId }, { line: 2, code: 'INVALID_FILE' }, { workflowId }]);
    expect(printed.at(-1)).toEqual({
      summary: { started: 1, attached: 1, failed: 1, failures: { INVALID_FILE: 1 } },
    });
  });

  test.each([[['no-such-file.jsonl']], [[tmpdir()]], [['-', '--concurrency', '0']]])(
    'starts nothing with the arguments %j',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('reports that the Temporal server does not answer', async () => {
    const { code, stderr } = await paysession(['start-many', '-'], {
      env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
      stdin: good(),
    });
    expect(code).toBe(5);
    expect(stderr).toContain('error TEMPORAL_UNAVAILABLE');
  });
});
