import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SCENES } from '../../../cli/commands/demo';
import { paysession, startPaysession } from '../../support/cli/run-paysession';

interface Performance {
  readonly key: string;
  readonly asExpected: boolean;
  readonly inLedger: boolean;
  readonly stateHistory: readonly object[];
}

test('the command demo plays every session to its expected end, records all ends in its own ledger, and exits 0', async () => {
  // The command must ignore this ledger of the settings.
  const env = { PAYSESSION_LEDGER_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const { code, stdout } = await paysession(['demo', '--json'], { env });
  expect(code).toBe(0);
  const performances = JSON.parse(stdout) as Performance[];
  expect(performances.map(({ key, asExpected, inLedger }) => [key, asExpected, inLedger])).toEqual(
    SCENES.map(({ key }) => [key, true, true]),
  );
  expect(performances.every(({ stateHistory }) => stateHistory.length >= 2)).toBe(true);
});

test('the command demo removes its folder on Ctrl-C, and does not exit with 0', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-interrupted-'));
  // PostgreSQL may run as another user, which must be able to enter this folder.
  chmodSync(folder, 0o755);
  const demo = startPaysession(['demo'], { TMPDIR: folder });
  const left = () => readdirSync(folder).filter((name) => name.startsWith('paysession-demo-'));
  try {
    await demo.line(/demo-eft/);
    expect(left()).toHaveLength(1);
    expect(await demo.interrupt()).toBe(6);
    expect(left()).toEqual([]);
    expect(demo.errors()).toMatch(/Stopping …\n$/);
  } finally {
    await demo.end();
    rmSync(folder, { recursive: true });
  }
});
