import { expect, jest, test } from '@jest/globals';
import { PaysessionError } from '../../../src/errors';
import { sessionLedger } from '../../../worker/session-ledger';

/** Returns the number of registrations of a worker while its ledger is checked once. */
async function registrations(check: () => Promise<void>): Promise<number> {
  const register = jest.fn(() => Promise.resolve());
  const unused = () => Promise.reject(new Error('not asked'));
  const ledger = sessionLedger({
    register,
    ledger: { claim: unused, record: unused, recordEnded: unused, followerOf: unused, check },
    readClaim: unused,
    log: { warn: () => undefined, info: () => undefined },
    observer: { called: () => undefined, away: () => undefined },
  });
  const over = new AbortController();
  ledger.watch(over.signal);
  over.abort();
  await new Promise((resolve) => setImmediate(resolve));
  return register.mock.calls.length;
}

test('a worker registers its namespace with the ledger as soon as that answers', async () => {
  expect(await registrations(() => Promise.resolve())).toBe(1);
  expect(await registrations(() => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away')))).toBe(
    0,
  );
});
