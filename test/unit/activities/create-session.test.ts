import { afterEach, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { createActivities, type ServiceDirectory } from '../../../activities';
import { MAX_JSON_DEPTH, type SessionRequest } from '../../../src/contract';
import type { Delivered } from '../../../activities/activity-attempt';
import { PaysessionError, type SessionFault } from '../../../src/errors';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';
import { Pace, PacedService } from '../../../src/service';
import { cleanUp, client, created, localService, SESSION_ID } from '../../support/service/local-service';
import { asActivity, createInput, firstExecution, takesAll } from '../../support/activities/as-activity';
import { eft } from '../../support/requests';
import { CLAIM } from '../../support/ledger/claim';
import { factsOfClaim, judgeClaim, ownClaim } from '../../../ledger/judge-claim';
import { claimsOf, type ClaimFact } from '../../../src/protocol/ledger/fold';

afterEach(cleanUp);

const creating = (serviceOf: ServiceDirectory, request: unknown = eft()) => {
  const activities = createActivities({
    serviceOf,
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
  });
  return asActivity(() => activities.createSession(createInput(request as SessionRequest)), {
    info: firstExecution,
  });
};

const throwing =
  (error: unknown): ServiceDirectory =>
  () => {
    throw error;
  };

describe('a create request that fails before it is sent', () => {
  test('has the outcome notSent after an unexpected error, without the error’s message', async () => {
    const outcome = await creating(throwing(new RangeError('Avery Tremblay overflowed')));
    expect(outcome).toMatchObject({
      outcome: 'notSent',
      failure: {
        code: 'SERVICE_UNREACHABLE',
        message: expect.stringContaining('nothing was sent (RangeError)'),
      },
    });
    expect(JSON.stringify(outcome)).not.toContain('Avery');
  });

  test('has the outcome notSent if its key is in a ledger that this worker does not have', async () => {
    const service = await localService({ '/sessions': created });
    const activities = createActivities({
      serviceOf: () => new PacedService(client(service.baseUrl), { pace: new Pace() }),
      completion: takesAll,
      readState: () => Promise.reject(new Error('unused')),
    });
    const input = { ...createInput(eft()), isClaimed: true } as const;
    expect(await asActivity(() => activities.createSession(input), { info: firstExecution })).toMatchObject({
      outcome: 'notSent',
      failure: { code: 'LEDGER_UNAVAILABLE' },
      onLedger: true,
    });
    expect(service.received).toEqual([]);
  });

  test('fails permanently if its account is unknown to the worker', async () => {
    const failed = creating(throwing(new PaysessionError('UNKNOWN_ACCOUNT', 'no such account')));
    await expect(failed).rejects.toMatchObject({ type: 'UNKNOWN_ACCOUNT', nonRetryable: true });
  });

  test.each([
    ['breaks the contract', { ...eft(), amount: 0 }],
    ['has a misspelt field', { ...eft(), amont: 25 }],
    ['is missing', undefined],
    ['is nested too deeply', { ...eft(), extra: nested(MAX_JSON_DEPTH) }],
    ['overflows the stack', { ...eft(), extra: nested(50_000) }],
  ])('fails permanently if its body %s, and nothing is sent', async (_name, request) => {
    const service = await localService({ '/sessions': created });
    const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
    const error: unknown = await creating(() => paced, request ?? null).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ type: 'INVALID_REQUEST', nonRetryable: true });
    expect(service.received.filter(({ path }) => path.includes('/sessions'))).toEqual([]);
  });
});

test('a create request contains no metadata: the ledger receives the metadata, and the payment service does not', async () => {
  const service = await localService({ '/sessions': created });
  const paced = new PacedService(client(service.baseUrl), { pace: new Pace() });
  const claimed: unknown[] = [];
  const activities = createActivities({
    serviceOf: () => paced,
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
    ledger: {
      claim: (claim) => {
        claimed.push(claim);
        return Promise.resolve({ outcome: 'claimed' });
      },
      record: () => Promise.resolve(undefined),
      adopt: () => Promise.resolve(undefined),
      followerOf: () => Promise.resolve(undefined),
    },
  });
  const metadata = { customer: 'cus_42', note: 'call Avery' };
  const input = createInput(eft());
  const claim = { ...input.claim, metadata, searchable: ['customer'] };
  const creates = asActivity(() => activities.createSession({ ...input, claim }), { info: firstExecution });
  await creates.catch((delivered: unknown) => delivered);
  expect(claimed).toMatchObject([{ metadata, searchable: ['customer'] }]);
  const [create] = service.requests('/sessions');
  expect(JSON.parse(create?.body ?? '')).toEqual(eft());
  expect(JSON.stringify(service.received)).not.toMatch(/cus_42|call Avery|metadata/);
});

// The service answers a create request with a session. The worker records the session in its ledger. The ledger refuses
// a session that the workflow of another key follows.
describe('a create request whose answer names a session', () => {
  /** Creates a session on a worker whose ledger reports this fault when the worker records the session. */
  async function createdWith(fault?: SessionFault) {
    const service = await localService({ '/sessions': created });
    const facts: LedgerFact[] = [];
    const owners: string[] = [];
    const activities = createActivities({
      serviceOf: () => new PacedService(client(service.baseUrl), { pace: new Pace() }),
      completion: takesAll,
      readState: () => Promise.reject(new Error('unused')),
      claims: {
        created: (_sessionId, key) => owners.push(key),
        preview: () => Promise.resolve({}),
        claim: () => Promise.resolve({}),
      },
      ledger: {
        claim: () => Promise.resolve({ outcome: 'claimed' }),
        record: (_claim, recorded) => {
          facts.push(...recorded);
          return Promise.resolve(recorded.some(({ kind }) => kind === 'opened') ? fault : undefined);
        },
        adopt: () => Promise.resolve(undefined),
        followerOf: () => Promise.resolve(undefined),
      },
    });
    const creates = asActivity(() => activities.createSession(createInput(eft())), { info: firstExecution });
    const delivered: unknown = await creates.catch((ended: unknown) => ended);
    return { result: (delivered as Delivered).result, facts, owners };
  }

  test('has an unknown outcome, with the session’s id, if another key follows the session in the ledger', async () => {
    const { result, facts, owners } = await createdWith('followed');
    expect(result).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'SERVICE_WRONG_SESSION' },
      sessionId: SESSION_ID,
      onLedger: true,
    });
    expect(facts.at(-1)).toMatchObject({ kind: 'createUnknown', code: 'SERVICE_WRONG_SESSION' });
    // The worker does not note the session as one of this key.
    expect(owners).toEqual([]);
  });

  test.each([undefined, 'tampered', 'unreadable'] as const)(
    'has the outcome created if no other key follows the session (fault of the ledger’s data: %s)',
    async (fault) => {
      const { result, facts, owners } = await createdWith(fault);
      expect(result).toMatchObject({ outcome: 'created', sessionId: SESSION_ID, onLedger: true });
      expect(facts.map(({ kind }) => kind)).toEqual(['opened', 'state']);
      expect(owners).toEqual(['order-7']);
    },
  );
});

/** Creates a session on a worker with this clock, and returns the facts that the worker records in its ledger. */
async function factsOfCreate(
  sessionId: string,
  times: { readonly askedAtMs: number; readonly workerMs: number },
): Promise<readonly LedgerFact[]> {
  const facts: LedgerFact[] = [];
  const service: Partial<PacedService> = {
    authenticate: () => Promise.resolve(),
    createSession: () =>
      Promise.resolve({
        outcome: 'created',
        sessionId,
        referenceId: null,
        checkoutUrl: 'https://pay.example',
      }),
  };
  const activities = createActivities({
    serviceOf: () => service as PacedService,
    completion: takesAll,
    readState: () => Promise.reject(new Error('unused')),
    now: () => times.workerMs,
    ledger: {
      claim: () => Promise.resolve({ outcome: 'claimed' }),
      record: (_claim, recorded) => {
        facts.push(...recorded);
        return Promise.resolve(undefined);
      },
      adopt: () => Promise.resolve(undefined),
      followerOf: () => Promise.resolve(undefined),
    },
  });
  const { askedAtMs } = times;
  const info = {
    ...firstExecution,
    scheduledTimestampMs: askedAtMs,
    currentAttemptScheduledTimestampMs: askedAtMs,
  };
  await asActivity(() => activities.createSession(createInput(eft())), { info });
  return facts;
}

// One key's workflow sends two create requests from two workers. The clock of the first worker is ahead, and the answer
// to its request is recorded last.
test('a late answer to an earlier create request does not replace the session of a later create request', async () => {
  const late = await factsOfCreate('earlier', { askedAtMs: 1_000, workerMs: 600_000 });
  const next = await factsOfCreate('later', { askedAtMs: 60_000, workerMs: 60_100 });
  const claimed: ClaimFact[] = [...judgeClaim([], { ...CLAIM, at: new Date(1_000).toISOString() }).add];
  const recorded = [next, late].reduce<readonly ClaimFact[]>((entries, facts) => {
    const claims = claimsOf(entries);
    const own = ownClaim(claims, CLAIM.firstRunId);
    return own === undefined ? entries : [...entries, ...factsOfClaim(claims, own, facts)];
  }, claimed);
  expect(claimsOf(recorded)).toMatchObject([{ opened: { sessionId: 'later' } }]);
});

describe('the time for which a create request may wait for its turn', () => {
  /** Returns the rest of the activity's minute, in milliseconds. The Temporal server scheduled the activity at 1,000 ms of its clock. */
  async function leftOfAMinute(now?: () => number): Promise<number | undefined> {
    let leftMs: number | undefined;
    const service: Partial<PacedService> = {
      authenticate: () => Promise.resolve(),
      createSession: (_request, options) => {
        leftMs = options?.withinMs;
        return Promise.reject(new Error('enough'));
      },
    };
    const activities = createActivities({
      serviceOf: () => service as PacedService,
      completion: takesAll,
      readState: () => Promise.reject(new Error('unused')),
      ...(now !== undefined && { now }),
    });
    const input = createInput(eft());
    const context = { info: firstExecution };
    await expect(asActivity(() => activities.createSession(input), context)).rejects.toThrow('enough');
    return leftMs;
  }

  test('does not depend on the machine’s clock, which may be far ahead of the Temporal server’s', async () => {
    expect(await leftOfAMinute()).toBeGreaterThan(30_000);
  });

  test('is measured by the worker’s own clock if it has one, as with Temporal’s time-skipping server', async () => {
    expect(await leftOfAMinute(() => 41_000)).toBe(20_000);
  });
});

function nested(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 'end');
}
