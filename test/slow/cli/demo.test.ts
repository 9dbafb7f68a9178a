import { expect, test } from '@jest/globals';
import { SCENES } from '../../../cli/commands/demo';
import { paysession } from '../../support/cli/run-paysession';

interface Performance {
  readonly key: string;
  readonly asExpected: boolean;
  readonly inLedger: boolean;
  readonly stateHistory: readonly object[];
}

test('demo plays every scene to its expected end, has all ends in a ledger of its own, and exits 0', async () => {
  // One that is set is left alone.
  const env = { PAYSESSION_LEDGER_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const { code, stdout } = await paysession(['demo', '--json'], { env });
  expect(code).toBe(0);
  const performances = JSON.parse(stdout) as Performance[];
  expect(performances.map(({ key, asExpected, inLedger }) => [key, asExpected, inLedger])).toEqual(
    SCENES.map(({ key }) => [key, true, true]),
  );
  expect(performances.every(({ stateHistory }) => stateHistory.length >= 2)).toBe(true);
});
