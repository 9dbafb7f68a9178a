import { expect, test } from '@jest/globals';
import { createActivities, type ActivitiesOptions } from '../../../activities';
import { PaysessionError } from '../../../src/errors';
import type { LedgerClaimAnswer } from '../../../src/protocol/ledger/facts';
import { eft } from '../../support/requests';
import { asActivity, firstExecution } from '../../support/activities/as-activity';

const CREATE = { account: 'default', request: eft(), claim: { key: 'order-7', firstRunId: 'run-1' } };

/**
 * Looks up a create request on a worker whose ledger gives this answer. Without an answer, the worker has no ledger.
 * `isClaimed`: the workflow knows that a ledger has the key. `accountError`: the worker cannot use the account.
 */
function lookUp(answer?: LedgerClaimAnswer, isClaimed?: true, accountError?: PaysessionError) {
  const unused = () => Promise.reject(new Error('unused'));
  const options = {
    serviceOf: () => {
      if (accountError !== undefined) throw accountError;
      return { checkoutUrl: (sessionId: string) => `https://pay.example/app/${sessionId}` };
    },
    readState: unused,
    ...(answer && { ledger: { record: unused, claim: () => Promise.resolve(answer) } }),
  } as unknown as ActivitiesOptions;
  const input = { ...CREATE, ...(isClaimed && { isClaimed }) };
  return asActivity(() => createActivities(options).lookUpCreate(input), { info: firstExecution });
}

// If the outcome of a create request is unknown, the workflow has a worker look up the request in the ledger.
test('a worker without a ledger leaves the look-up of a claimed key to another worker', async () => {
  await expect(lookUp(undefined, true)).rejects.toMatchObject({
    type: 'LEDGER_UNAVAILABLE',
    nonRetryable: false,
  });
  expect(await lookUp()).toEqual({});
});

test.each(['UNKNOWN_ACCOUNT', 'INVALID_SETTINGS'] as const)(
  'a worker that fails with %s leaves the look-up of a created session to another worker',
  async (type) => {
    const failed = new PaysessionError(type, 'not here');
    await expect(lookUp({ outcome: 'created', sessionId: 'one' }, true, failed)).rejects.toMatchObject({
      type,
      nonRetryable: false,
    });
    expect(await lookUp({ outcome: 'claimed' }, true, failed)).toEqual({ onLedger: true });
  },
);

test('a worker with a ledger reports that the ledger has the key, and which session was created for the key', async () => {
  expect(await lookUp({ outcome: 'claimed' }, true)).toEqual({ onLedger: true });
  expect(await lookUp({ outcome: 'conflict' })).toMatchObject({
    known: { outcome: 'notSent', failure: { code: 'SESSION_CONFLICT' } },
  });
  // Nothing was sent, and the failure is temporary: if the workflow still runs, it tries again.
  expect(await lookUp({ outcome: 'late' })).toEqual({
    known: { outcome: 'notSent', failure: expect.objectContaining({ code: 'LEDGER_UNAVAILABLE' }) },
  });
  const created = { outcome: 'created', sessionId: 'one' } as const;
  expect(await lookUp(created)).toMatchObject({
    onLedger: true,
    known: { ...created, checkoutUrl: 'https://pay.example/app/one' },
  });
});
