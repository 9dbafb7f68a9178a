import { afterEach, describe, expect, test } from '@jest/globals';
import {
  createActivities,
  type ActivitiesOptions,
  type Claims,
  type PaymentActivities,
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

afterEach(cleanUp);

const EXPECTED = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7' };
const SESSION = { account: 'default', sessionId: SESSION_ID };
const REPORT = { sessionId: SESSION_ID, ...EXPECTED, status: 'Completed', statusDetails: 'EFT0301' };

const reporting =
  (other: object): Behaviour =>
  (response) => {
    json(response, 200, { ...REPORT, ...other });
  };

async function activitiesOf(behaviours: Readonly<Record<string, Behaviour>>): Promise<PaymentActivities> {
  const { baseUrl } = await localService(behaviours);
  const paced = new PacedService(client(baseUrl), { pace: new Pace() });
  return createActivities({
    serviceOf: () => paced,
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
  });
}

test('a worker without a ledger leaves the claim of a key that the ledger has to another worker', async () => {
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

test('a session that a person names is dated by the Temporal server’s clock, which orders the ledger’s facts', async () => {
  const dates: string[] = [];
  const activities = createActivities({
    serviceOf: () => {
      throw new Error('unused');
    },
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
    now: () => 600_000,
    ledger: {
      claim: () => Promise.reject(new Error('unused')),
      record: () => Promise.reject(new Error('unused')),
      followerOf: () => Promise.resolve(undefined),
      adopt: (_claim, { at }) => {
        dates.push(at);
        return Promise.resolve(undefined);
      },
    },
  });
  const input = { key: 'order-7', firstRunId: 'one', sessionId: SESSION_ID };
  for (const attempt of [1, 2])
    await asActivity(() => activities.claimSession(input), { info: { ...firstExecution, attempt } });
  const askedAt = new Date(1_000).toISOString();
  expect(dates).toEqual([askedAt, askedAt]);
});

describe('while the ledger is away, the claim of a named session', () => {
  /** Claims a session on a worker whose ledger fails these calls. */
  async function claimed(attempt: number, away: readonly ('followerOf' | 'adopt')[]): Promise<unknown> {
    const answer = (call: 'followerOf' | 'adopt') =>
      away.includes(call)
        ? Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away'))
        : Promise.resolve(undefined);
    const activities = createActivities({
      serviceOf: () => {
        throw new Error('unused');
      },
      completion: takesAll,
      readState: () => Promise.reject(new Error('unused')),
      ledger: {
        claim: () => Promise.reject(new Error('unused')),
        record: () => Promise.reject(new Error('unused')),
        followerOf: () => answer('followerOf'),
        adopt: () => answer('adopt'),
      },
    });
    const input = { key: 'order-7', firstRunId: 'one', sessionId: SESSION_ID };
    return asActivity(() => activities.claimSession(input), { info: { ...firstExecution, attempt } });
  }

  test('is refused at once if nothing can have been recorded', async () => {
    await expect(claimed(1, ['followerOf', 'adopt'])).rejects.toMatchObject({
      type: 'LEDGER_UNAVAILABLE',
      nonRetryable: true,
    });
  });

  test.each<[what: string, attempt: number, away: readonly ('followerOf' | 'adopt')[]]>([
    ['this attempt', 1, ['adopt']],
    ['an earlier attempt', 2, ['followerOf', 'adopt']],
  ])('is repeated if %s may have recorded it', async (_what, attempt, away) => {
    await expect(claimed(attempt, away)).rejects.toMatchObject({
      type: 'LEDGER_UNAVAILABLE',
      nonRetryable: false,
    });
    await expect(claimed(attempt + 1, [])).resolves.toEqual({ onLedger: true });
  });
});

describe('the claim of a named session', () => {
  const input = { key: 'order-7', firstRunId: 'one', sessionId: SESSION_ID };
  const claim = (attempt: number, options: Partial<ActivitiesOptions>) => {
    const activities = createActivities({
      serviceOf: () => {
        throw new Error('unused');
      },
      completion: takesAll,
      readState: () => Promise.reject(new Error('unused')),
      ...options,
    });
    return asActivity(() => activities.claimSession(input), { info: { ...firstExecution, attempt } });
  };
  const ledger = {
    claim: () => Promise.reject(new Error('unused')),
    record: () => Promise.reject(new Error('unused')),
    followerOf: () => Promise.resolve(undefined),
    adopt: () => Promise.resolve(undefined),
  };

  test('is not repeated if the ledger refuses to record it', async () => {
    const adopt = () => Promise.reject(new PaysessionError('LEDGER_REFUSED', 'no right'));
    await expect(claim(1, { ledger: { ...ledger, adopt } })).rejects.toMatchObject({
      type: 'LEDGER_REFUSED',
      nonRetryable: true,
    });
  });

  test('that an earlier attempt has recorded is free, whatever other keys do', async () => {
    const followerOf = () => Promise.resolve('order-7');
    const claims = { claim: () => Promise.reject(new Error('another create request is under way')) };
    await expect(
      claim(2, { ledger: { ...ledger, followerOf }, claims: claims as Partial<Claims> as Claims }),
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

test('a search without an expected payment returns whichever payment it finds', async () => {
  const activities = await activitiesOf({ '/details': reporting({ referenceId: 'order-8' }) });
  await expect(asActivity(() => activities.findSession(SESSION))).resolves.toMatchObject({
    outcome: 'found',
    identity: { type: 'EFT', direction: 'DEBIT', referenceId: 'order-8' },
  });
});
