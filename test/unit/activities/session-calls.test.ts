import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createActivities,
  type ActivitiesOptions,
  type Claims,
  type PaymentActivities,
  type SessionLedger,
} from '../../../activities';
import { Pace, PacedService } from '../../../src/service';
import {
  cleanUp,
  client,
  json,
  localService,
  SESSION_ID,
  type Behaviour,
} from '../../support/service/local-service';
import { asActivity, firstExecution, takesAll } from '../../support/activities/as-activity';
import { PaysessionError } from '../../../src/errors';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';

afterEach(cleanUp);

const EXPECTED = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7' };
const SESSION = { account: 'default', sessionId: SESSION_ID };
const DETAILS = { sessionId: SESSION_ID, ...EXPECTED, status: 'Completed', statusDetails: 'EFT0301' };

const reporting =
  (other: object): Behaviour =>
  (response) => {
    json(response, 200, { ...DETAILS, ...other });
  };

async function activitiesOf(
  behaviours: Readonly<Record<string, Behaviour>>,
  options: Partial<ActivitiesOptions> = {},
): Promise<PaymentActivities> {
  const { baseUrl } = await localService(behaviours);
  const paced = new PacedService(client(baseUrl), { pace: new Pace() });
  return createActivities({
    serviceOf: () => paced,
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
    ...options,
  });
}

test('the opening of a session that a poll records in the ledger is dated by the Temporal server’s clock', async () => {
  const recorded: LedgerFact[] = [];
  const record: SessionLedger['record'] = (_claim, facts) => {
    recorded.push(...facts);
    return Promise.resolve(undefined);
  };
  const ledger: Partial<SessionLedger> = { record };
  const activities = await activitiesOf(
    { '/details': reporting({}) },
    { ledger: ledger as SessionLedger, now: () => 600_000 },
  );
  const known = { kind: 'EFT', status: 'Initiated', code: 'EFT0101', furthest: 0 } as const;
  const onLedger = { key: 'order-7', firstRunId: 'one', states: 1, known };
  await asActivity(() => activities.pollSession({ ...SESSION, expected: EXPECTED, onLedger }), {
    info: firstExecution,
  });
  expect(recorded).toMatchObject([
    { kind: 'opened', at: new Date(1_000).toISOString() },
    { kind: 'state', at: new Date(600_000).toISOString() },
  ]);
});

test('a worker without a ledger leaves the claim of a session to another worker if a ledger has the key', async () => {
  const activities = await activitiesOf({});
  const input = { key: 'order-7', firstRunId: 'one', sessionId: SESSION_ID };
  await expect(asActivity(() => activities.claimSession(input))).resolves.toEqual({});
  await expect(
    asActivity(() => activities.claimSession({ ...input, isClaimed: true })),
  ).rejects.toMatchObject({
    type: 'LEDGER_UNAVAILABLE',
    nonRetryable: false,
  });
});

// A person names the session that a lost create request has opened. The worker records in the ledger that the key now
// follows the session: it claims the session.
describe('the claim of a session that a person names', () => {
  const unused = () => Promise.reject(new Error('unused'));

  /** Claims a session on a worker with this ledger and these options. */
  function claimed(
    attempt: number,
    ledger: Partial<SessionLedger> = {},
    options: Partial<ActivitiesOptions> = {},
  ): Promise<unknown> {
    const free = () => Promise.resolve(undefined);
    const activities = createActivities({
      serviceOf: () => {
        throw new Error('unused');
      },
      completion: takesAll,
      readState: unused,
      ledger: { claim: unused, record: unused, followerOf: free, adopt: free, ...ledger },
      ...options,
    });
    const input = { key: 'order-7', firstRunId: 'one', sessionId: SESSION_ID };
    return asActivity(() => activities.claimSession(input), { info: { ...firstExecution, attempt } });
  }

  test('is dated by the Temporal server’s clock, which orders the ledger’s facts', async () => {
    const dates: string[] = [];
    const adopt: SessionLedger['adopt'] = (_claim, { at }) => {
      dates.push(at);
      return Promise.resolve(undefined);
    };
    for (const attempt of [1, 2]) await claimed(attempt, { adopt }, { now: () => 600_000 });
    const askedAt = new Date(1_000).toISOString();
    expect(dates).toEqual([askedAt, askedAt]);
  });

  const unavailable = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'unavailable'));

  test('fails for good while the ledger is unavailable, if no attempt can have recorded the claim', async () => {
    await expect(claimed(1, { followerOf: unavailable, adopt: unavailable })).rejects.toMatchObject({
      type: 'LEDGER_UNAVAILABLE',
      nonRetryable: true,
    });
  });

  test.each<[what: string, attempt: number, ledger: Partial<SessionLedger>]>([
    ['this attempt', 1, { adopt: unavailable }],
    ['an earlier attempt', 2, { followerOf: unavailable, adopt: unavailable }],
  ])(
    'is repeated while the ledger is unavailable, if %s may have recorded the claim',
    async (_what, attempt, ledger) => {
      await expect(claimed(attempt, ledger)).rejects.toMatchObject({
        type: 'LEDGER_UNAVAILABLE',
        nonRetryable: false,
      });
      await expect(claimed(attempt + 1)).resolves.toEqual({ onLedger: true });
    },
  );

  test('is not repeated if the ledger refuses to record the claim', async () => {
    const adopt = () => Promise.reject(new PaysessionError('LEDGER_REFUSED', 'no right'));
    await expect(claimed(1, { adopt })).rejects.toMatchObject({
      type: 'LEDGER_REFUSED',
      nonRetryable: true,
    });
  });

  test('succeeds if an earlier attempt has recorded the claim, even while another create request is under way', async () => {
    const followerOf = () => Promise.resolve('order-7');
    const claims = { claim: () => Promise.reject(new Error('another create request is under way')) };
    await expect(
      claimed(2, { followerOf }, { claims: claims as Partial<Claims> as Claims }),
    ).resolves.toEqual({ onLedger: true });
  });
});

const WRONG = { failure: { code: 'SERVICE_WRONG_SESSION' } };

describe.each([
  ['another session', { sessionId: '11111111-2222-4333-8444-555555555555' }],
  ['another reference', { referenceId: 'order-8' }],
])('an answer about %s', (_name, other) => {
  const behaviours = { '/details': reporting(other), '/cancel': reporting(other) };

  test('is a failed poll', async () => {
    const activities = await activitiesOf(behaviours);
    const input = { ...SESSION, expected: EXPECTED };
    await expect(asActivity(() => activities.pollSession(input))).resolves.toMatchObject({
      outcome: 'failed',
      ...WRONG,
    });
  });

  test('to a cancel counts as a refusal, so the details are read', async () => {
    const activities = await activitiesOf(behaviours);
    const input = { ...SESSION, expected: EXPECTED };
    await expect(asActivity(() => activities.cancelSession(input))).resolves.toMatchObject({
      outcome: 'refused',
      ...WRONG,
    });
  });

  test('makes the search for a session fail', async () => {
    const activities = await activitiesOf(behaviours);
    const input = { ...SESSION, expected: EXPECTED };
    await expect(asActivity(() => activities.findSession(input))).resolves.toMatchObject({
      outcome: 'failed',
      ...WRONG,
    });
  });
});

test('a search without an expected payment returns the payment that it finds', async () => {
  const activities = await activitiesOf({ '/details': reporting({ referenceId: 'order-8' }) });
  await expect(asActivity(() => activities.findSession(SESSION))).resolves.toMatchObject({
    outcome: 'found',
    identity: { type: 'EFT', direction: 'DEBIT', referenceId: 'order-8' },
  });
});
