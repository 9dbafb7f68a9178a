import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import { ended } from '../../support/ledger/example-payments';
import { testLedger } from '../../support/ledger/test-ledger';
import { paysession } from '../../support/cli/run-paysession';
import { credit, eft } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const RETURNED: LedgerFact = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: '912' };
const temporal = () => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_TASK_QUEUE: world.taskQueue,
});

/** Splits a table's heading and rows into cells. */
const cellsOf = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/));

/** Creates a ledger with one debit, and one credit whose money came back. */
async function ledgerOfBoth() {
  const { url, ledger } = await testLedger();
  await ledger.claim({ ...CLAIM, key: 'in' });
  await ledger.claim({ ...CLAIM, key: 'out', firstRunId: 'run-2', request: credit() });
  await ledger.record({ key: 'out', firstRunId: 'run-2' }, [
    ended('2026-03-01T13:00:00.000Z', true),
    RETURNED,
  ]);
  return { ...temporal(), PAYSESSION_LEDGER_URL: url, PAYSESSION_LEDGER_ENVIRONMENT: 'default' };
}

describe('a payment to the payor', () => {
  test('has its direction in ledger list; a list of debits alone has no direction column', async () => {
    const env = await ledgerOfBoth();
    const list = async (...args: readonly string[]) =>
      cellsOf((await paysession(['ledger', 'list', ...args], { env })).stdout);
    const [head = [], ...rows] = await list();
    expect(head).toContain('DIRECTION');
    expect(rows.pop()).toEqual(['2 sessions; DEBIT $25.00; CREDIT $25.00, of which $25.00 came back.']);
    expect(rows.map((row) => [row[0], row[head.indexOf('DIRECTION')]])).toEqual([
      ['out', 'CREDIT'],
      ['in', 'DEBIT'],
    ]);
    const [headOfIn = [], ...rowsOfIn] = await list('--direction', 'DEBIT');
    expect(headOfIn).not.toContain('DIRECTION');
    expect(rowsOfIn.map(([key]) => key)).toEqual(['in', '1 session; $25.00.']);
    const json = await paysession(['ledger', 'list', '--jsonl', '--direction', 'CREDIT'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ key: 'out', direction: 'CREDIT', amount: 25 });
    const refused = await paysession(['ledger', 'list', '--direction', 'out'], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('DEBIT, CREDIT') });
  });

  test('has its direction in ledger show and state; state also says what to do after the money came back', async () => {
    const env = await ledgerOfBoth();
    const shown = await paysession(['ledger', 'show', 'out'], { env });
    expect(shown.stdout).toMatch(/key claimed +e-Transfer, CREDIT, \$25\.00/);
    expect((await paysession(['ledger', 'show', 'in'], { env })).stdout).toMatch(
      /key claimed +EFT, \$25\.00/,
    );
    const { stdout } = await paysession(['state', 'out'], { env });
    expect(stdout).toMatch(/^direction +CREDIT: money to the payor$/m);
    expect(stdout).toMatch(/^next +The payor did not get the money[.] Ask them what is wrong/m);
  });

  test('has its direction in list, which reads Temporal', async () => {
    const referenceId = `out-${randomUUID().slice(0, 13)}`;
    const both = [eft(referenceId), credit(referenceId)].map((request) => world.input(request));
    for (const input of both) await world.sessions.open(input);
    const list = ['list', '--reference', referenceId];
    const table = await until(
      async () => cellsOf((await paysession(list, { env: temporal() })).stdout),
      ({ length }) => length === 3,
    );
    const [head = [], ...rows] = table;
    const directions = rows.map((row) => row[head.indexOf('DIRECTION')]);
    expect(directions.toSorted()).toEqual(['CREDIT', 'DEBIT']);
    const eftOnly = await paysession([...list, '--kind', 'EFT'], { env: temporal() });
    expect(cellsOf(eftOnly.stdout)[0]).not.toContain('DIRECTION');
    for (const { key } of both) await world.sessions.get(key).cancelAndWait();
  });
});
