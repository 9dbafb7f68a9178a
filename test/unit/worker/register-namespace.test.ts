import { expect, jest, test } from '@jest/globals';
import { PaysessionError } from '../../../src/errors';
import { sessionLedger } from '../../../worker/session-ledger';

const done = (): Promise<void> => Promise.resolve();
const unavailable = (): Promise<void> => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'));

/** Lets a worker check its ledger this many times. Returns the number of registrations, and the worker's log. */
async function checked(times: number, { check = done, registers = done } = {}) {
  const register = jest.fn(registers);
  const logged: string[] = [];
  const unused = () => Promise.reject(new Error('not asked'));
  const ledger = sessionLedger({
    register,
    ledger: { claim: unused, record: unused, recordEnded: unused, followerOf: unused, check },
    readClaim: unused,
    log: { warn: (message) => logged.push(message), info: (message) => logged.push(message) },
    observer: { called: () => undefined, away: () => undefined },
  });
  for (let time = 1; time <= times; time += 1) {
    const stopping = new AbortController();
    ledger.watch(stopping.signal);
    stopping.abort();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { count: register.mock.calls.length, logged };
}

test('a worker registers its namespace in the ledger once the ledger answers', async () => {
  expect(await checked(1)).toEqual({ count: 1, logged: [] });
  expect(await checked(1, { check: unavailable })).toMatchObject({ count: 0 });
});

test('if a worker’s registration in the ledger fails again and again, the failure is logged once', async () => {
  const logged = ['the ledger does not record: away'];
  expect(await checked(2, { registers: unavailable })).toEqual({ count: 2, logged });
});
