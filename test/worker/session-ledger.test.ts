import { expect, test } from '@jest/globals';
import { PaysessionError } from '../../src/errors';
import { sessionLedger, type LedgerCall } from '../../worker/ledger/session-ledger';

const away = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'));

/** A ledger that can be away; what its worker logs and counts. */
function watched() {
  const state = { isAway: true };
  const answer = <T>(value: T) => (state.isAway ? away() : Promise.resolve(value));
  const logged: string[] = [];
  const counted: (readonly [LedgerCall, boolean])[] = [];
  const ledger = sessionLedger(
    {
      claim: () => answer({ outcome: 'claimed' } as const),
      record: () => answer(1),
      recordOf: () => answer(1),
      check: () => answer(undefined),
    },
    { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
    { called: (call, _ms, succeeded) => counted.push([call, succeeded]) },
  );
  return { ledger, state, logged, counted };
}

test('a ledger that is away is logged once, and once when it is back; each call counts', async () => {
  const { ledger, state, logged, counted } = watched();
  await ledger.record('order-1', []);
  await ledger.recordEnd({ key: 'order-1', firstRunId: 'run-1' }, []);
  state.isAway = false;
  await ledger.record('order-1', []);
  expect(logged).toEqual(['the ledger does not record: away', 'the ledger answers again']);
  expect(counted).toEqual([
    ['record', false],
    ['end', false],
    ['record', true],
  ]);
});

test('a ledger that nobody asks is looked at', () => {
  const { ledger, counted } = watched();
  const over = new AbortController();
  ledger.watch(over.signal);
  over.abort();
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    expect(counted).toEqual([['check', false]]);
  });
});
