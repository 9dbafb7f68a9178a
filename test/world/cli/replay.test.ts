import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bundleMutant, type MutantBundle } from '../../replay/mutant-bundle';
import type { RunningTemporalServer } from '../../../src/temporal-server';
import { startOwnTemporalServer } from '../../support/worlds/own-temporal';
import { eft } from '../../support/requests';
import { createWorld, type World } from '../../support/worlds/world';
import { paysession } from '../../support/cli/run-paysession';

const HISTORIES = join(__dirname, '..', '..', 'replay', 'histories');
/** Three histories only: to find the event at which a history diverges, the command replays it several times. */
const FEW = ['eft-completed', 'eft-expired', 'create-rejected'].map((name) =>
  join(HISTORIES, `${name}.json`),
);

let folder: string;
/** A bundle of workflow code with a changed order of commands. Recorded histories do not replay with it. */
let mutant: MutantBundle;
/** A separate Temporal server, so that `replay --open` finds only the session of this test. */
let temporal: RunningTemporalServer;
let world: World;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-replay-'));
  temporal = await startOwnTemporalServer();
  world = await createWorld({ temporalAddress: temporal.address });
  mutant = await bundleMutant({ mutant: 'timer-before-create', of: 'create/create' });
});

afterAll(async () => {
  await mutant.remove();
  await world.close();
  await temporal.stop();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => paysession(args, { env: { TEMPORAL_ADDRESS: temporal.address } });

describe('the command replay', () => {
  test('exits 0 if all histories replay', async () => {
    const { code, stdout } = await run('replay', ...FEW);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '3 replayed: all replay\n',
    });
  });

  test('reports each history that diverges, with the event, and exits 8', async () => {
    const { code, stdout } = await run(
      'replay',
      join(HISTORIES, 'eft-completed.json'),
      '--bundle',
      mutant.bundlePath,
    );
    expect(code).toBe(8);
    expect(stdout).toMatch(
      /^✘ eft-completed: event \d+ \(\w+\)\n {4}.*[Nn]ondeterminism.*\n1 replayed: 1 diverge\n$/,
    );
    const json = await run('replay', ...FEW, '--bundle', mutant.bundlePath, '--json');
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout)).toMatchObject({
      divergences: [expect.anything(), expect.anything(), expect.anything()],
    });
  });

  test('with --open replays the open sessions, and exits 8 if one diverges', async () => {
    const key = `replay-${randomUUID()}`;
    const input = { ...world.input(eft('sandbox-stays-initiated')), key };
    const { session } = await world.sessions.open(input);
    await session.refresh();
    expect(await run('replay', '--open')).toMatchObject({ code: 0, stderr: '' });
    const gated = await run('replay', '--open', '--bundle', mutant.bundlePath);
    expect(gated.code).toBe(8);
    expect(gated.stdout).toContain(`✘ ${key}: event `);
    await session.cancelAndWait();
  });

  test('refuses missing or unusable arguments with one clear message', async () => {
    writeFileSync(join(folder, 'other.json'), '{}');
    const calls = [[], ['x.json', '--open'], [join(folder, 'none')], [join(folder, 'other.json')]];
    for (const args of [...calls, [...FEW, '--bundle', join(folder, 'none')]]) {
      const { code, stderr } = await run('replay', ...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(/^error(:| INVALID_FILE:) /);
    }
  });
});

describe('the command export', () => {
  test('writes a history that replays, and prints the file’s name', async () => {
    const input = world.input(eft('sandbox-completes'));
    await (await world.sessions.start(input)).result();
    const out = join(folder, 'exported', 'histories');
    const { code, stdout } = await run('export', input.key, '--out', out);
    expect(code).toBe(0);
    const [file = ''] = readdirSync(out);
    expect(stdout).toMatch(new RegExp(`^${input.key}: .*${file} \\(\\d+ events\\)\\n$`));
    expect(readFileSync(join(out, file), 'utf8')).not.toContain(input.key);
    expect(await run('replay', out)).toMatchObject({ code: 0, stdout: '1 replayed: all replay\n' });
  });

  test('reports an unknown key', async () => {
    const { code, stderr } = await run('export', 'no-such-key', '--out', folder);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error SESSION_NOT_FOUND: .*no-such-key/);
  });
});
