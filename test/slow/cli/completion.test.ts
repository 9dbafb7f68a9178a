import { describe, expect, test } from '@jest/globals';
import { complete as completeAtTab } from '../../support/cli/complete';
import { spawnPaysession as paysession } from '../../support/cli/run-paysession';

const complete = (...words: string[]) => completeAtTab(words);

/** The last line of a completion: the shell also offers files, or offers none. */
const FILES = ':0';
const NO_FILES = ':4';

describe('the completion of the Tab key', () => {
  test('offers commands', async () => {
    expect(await complete('st')).toEqual(['start', 'start-many', 'state', NO_FILES]);
    expect(await complete('comp')).toEqual(['completion', NO_FILES]);
  });

  test('offers options and their allowed values', async () => {
    expect(await complete('list', '--r')).toEqual(expect.arrayContaining(['--reference', '--running']));
    expect(await complete('state', 'order-1', '--ad')).toEqual(['--address', NO_FILES]);
    expect(await complete('list', '--kind', '')).toEqual(['EFT', 'GEFT', 'e-Transfer', NO_FILES]);
  });

  test('offers the known values of an option that accepts any value', async () => {
    expect(await complete('list', '--status', 'C')).toEqual(['Completed', 'Cancelled', NO_FILES]);
    expect(await complete('list', '--code', 'EFT030')).toEqual(
      expect.arrayContaining(['EFT0301', 'EFT0302']),
    );
    expect(await complete('list', '--problem', 'park')).toEqual(['parked', NO_FILES]);
  });

  test('offers no keys if the Temporal server does not answer', async () => {
    const { code, stdout } = await paysession(['complete', '--', 'state', ''], {
      env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    });
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, NO_FILES]);
  });

  test('offers files if the command takes a file', async () => {
    expect(await complete('start', '--key', 'k', '--request', '')).toEqual([FILES]);
    expect(await complete('start-many', 'pay')).toEqual([FILES]);
    expect(await complete('ledger', 'verify', '--since', '')).toEqual([FILES]);
    expect(await complete('start-many', '--conc')).toEqual(['--concurrency', NO_FILES]);
  });
});
