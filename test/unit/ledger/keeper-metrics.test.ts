import { expect, test } from '@jest/globals';
import { KEEPER_METRICS, KeeperMetrics } from '../../../ledger/log/keeper-metrics';
import type { KeeperEvent } from '../../../ledger/log/keep-ledger';

const EVERY = { checkpoint: 1_000, sweep: 1_000, verify: 1_000 };

/** Returns the value of the metric of a faulty ledger after these events of the ledger's keeper. */
function faultyAfter(...events: readonly KeeperEvent[]): string | undefined {
  const metrics = new KeeperMetrics(EVERY);
  for (const event of events) metrics.count(event);
  return new RegExp(`^${KEEPER_METRICS.faulty.name} (\\d)$`, 'm').exec(metrics.text())?.[1];
}

const failed = (job: 'checkpoint' | 'sweep' | 'verify', code: string): KeeperEvent => ({
  kind: 'failed',
  job,
  code,
  message: '',
});

test.each([
  ['a verification that finds a fault', '1', { kind: 'faulty', fault: { kind: 'edited', message: '' } }],
  ['a verification that the ledger’s database refuses', '1', failed('verify', 'LEDGER_REFUSED')],
  ['a verification of tables that a newer version has made', '1', failed('verify', 'LEDGER_SCHEMA_NEWER')],
  ['a verification that fails with an unexpected error', '1', failed('verify', 'unexpected')],
  ['a verification during an outage of the ledger’s database', '0', failed('verify', 'LEDGER_UNAVAILABLE')],
  ['a verification whose folder of checkpoints cannot be used', '0', failed('verify', 'INVALID_FILE')],
  [
    'a checkpoint that is refused because the log does not continue the earlier checkpoint',
    '1',
    failed('checkpoint', 'LEDGER_TAMPERED'),
  ],
  ['a failed sweep', '0', failed('sweep', 'TEMPORAL_UNAVAILABLE')],
] as const)('after %s, the metric of a faulty ledger is %s', (_what, faulty, event) => {
  expect(faultyAfter(event)).toBe(faulty);
});

test('the metric of a faulty ledger is reset by a verification without a fault, but not by a verification during an outage', () => {
  const found = failed('verify', 'LEDGER_REFUSED');
  expect(faultyAfter(found, failed('verify', 'LEDGER_UNAVAILABLE'))).toBe('1');
  expect(faultyAfter(found, { kind: 'verified', entries: 1, waiting: 0 })).toBe('0');
});

test('the metrics of late payments, returned payments and unmatched lines keep their values until the next count', () => {
  const metrics = new KeeperMetrics(EVERY);
  metrics.count({ kind: 'counted', late: 2, returned: 4, unmatched: 3 });
  metrics.count({ kind: 'swept', looked: 1, mended: 0, unrecorded: 0 });
  metrics.count(failed('sweep', 'LEDGER_UNAVAILABLE'));
  expect(metrics.text()).toContain(`${KEEPER_METRICS.late.name} 2\n`);
  expect(metrics.text()).toContain(`${KEEPER_METRICS.returned.name} 4\n`);
  expect(metrics.text()).toContain(`${KEEPER_METRICS.unmatched.name} 3\n`);
});

test('the metric of the last sweep changes only after payments and lines are counted', () => {
  const metrics = new KeeperMetrics(EVERY);
  const ended = () => !metrics.text().includes(`${KEEPER_METRICS.lastDone.name}{task="sweep"} 0\n`);
  metrics.count({ kind: 'swept', looked: 1, mended: 1, unrecorded: 0 });
  metrics.count(failed('sweep', 'LEDGER_UNAVAILABLE'));
  expect(ended()).toBe(false);
  metrics.count({ kind: 'counted', late: 0, returned: 0, unmatched: 0 });
  expect(ended()).toBe(true);
});
