import { expect, test } from '@jest/globals';
import { createActivities, type ActivitiesOptions } from '../../activities';
import type { LedgerClaimAnswer } from '../../src/protocol/ledger/facts';
import { eft } from '../support/requests';
import { asActivity } from './support';

const CLAIM = { key: 'order-1', firstRunId: 'run-1', account: 'default', request: eft() };

/** A worker's look-up of a lost create, whose ledger gives this answer; without one, it has no ledger. */
function lookUp(answer?: LedgerClaimAnswer, isClaimed?: true) {
  const unused = () => Promise.reject(new Error('unused'));
  const options = {
    serviceOf: () => ({ checkoutUrl: (sessionId: string) => `https://pay.example/app/${sessionId}` }),
    readState: unused,
    ...(answer && { ledger: { record: unused, claim: () => Promise.resolve(answer) } }),
  } as unknown as ActivitiesOptions;
  const input = { claim: CLAIM, ...(isClaimed && { isClaimed }) };
  return asActivity(() => createActivities(options).lookUpLostCreate(input));
}

test('a worker without a ledger gives no answer about a key that is claimed on one: another worker is asked', async () => {
  await expect(lookUp(undefined, true)).rejects.toMatchObject({
    type: 'LEDGER_UNAVAILABLE',
    nonRetryable: false,
  });
  expect(await lookUp()).toEqual({ writesAhead: true });
});

test('a worker with a ledger tells whether that has the key, and what was created for it', async () => {
  expect(await lookUp({ outcome: 'claimed' }, true)).toEqual({ writesAhead: true, onLedger: true });
  expect(await lookUp({ outcome: 'conflict' })).toEqual({ writesAhead: true });
  expect(await lookUp({ outcome: 'created', sessionId: 'one' })).toEqual({
    writesAhead: true,
    onLedger: true,
    created: { sessionId: 'one', checkoutUrl: 'https://pay.example/app/one' },
  });
});
