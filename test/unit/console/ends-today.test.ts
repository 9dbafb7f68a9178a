import { expect, test } from '@jest/globals';
import { endsToday, startOfToday } from '../../../console/overview/ends-today';
import type { SessionFilter } from '../../../src/sessions';

// The console's overview groups the sessions that ended today by status and code. An end is unverified if polls
// failed for a long time after the session's deadline.
const TODAY = startOfToday('UTC');

type Ended = Pick<SessionFilter, 'status' | 'code' | 'kind' | 'problem'>;

const UNVERIFIED = { status: 'Initiated', code: 'EFT0101', kind: 'EFT', problem: 'unverifiedEnd' } as const;

/** Returns a fake of Temporal's index, with these sessions that ended today. */
const indexOf = (sessions: readonly Ended[]) => ({
  countNow: (filter: SessionFilter) => {
    const names = ['status', 'code', 'kind', 'problem'] as const;
    const matches = (session: Ended) =>
      names.every((name) => filter[name] === undefined || filter[name] === (session[name] ?? null));
    return Promise.resolve(sessions.filter(matches).length);
  },
});

test('the ends of today have a separate group for unverified ends', async () => {
  const expired = { status: 'Expired', code: 'EFT0601', kind: 'EFT' } as const;
  const { groups } = await endsToday(
    indexOf([
      expired,
      expired,
      expired,
      UNVERIFIED,
      UNVERIFIED,
      { status: 'Initiated', code: 'EFT0101', kind: 'EFT' },
    ]),
    TODAY,
  );
  expect(groups).toEqual([
    { status: 'Expired', code: 'EFT0601', count: 3 },
    { status: 'Initiated', code: 'EFT0101', unverified: true, count: 2 },
    { status: 'Initiated', code: 'EFT0101', count: 1 },
  ]);
});

test('the ends of today have a separate group for unverified ends without a code', async () => {
  const { groups, neverCreated } = await endsToday(
    indexOf([{ status: 'Initiated', kind: 'e-Transfer', problem: 'unverifiedEnd' }, { kind: 'EFT' }]),
    TODAY,
  );
  expect(groups).toEqual([{ status: 'Initiated', unverified: true, count: 1 }]);
  expect(neverCreated).toBe(1);
});

test('among the ends of today, unverified ends with an unknown status do not count as never created', async () => {
  const unknown = { status: 'Reversed', kind: 'EFT', problem: 'unverifiedEnd' } as const;
  const { groups, neverCreated } = await endsToday(
    indexOf([unknown, unknown, UNVERIFIED, { kind: 'EFT' }]),
    TODAY,
  );
  expect(groups).toEqual([
    { unverified: true, count: 2 },
    { status: 'Initiated', code: 'EFT0101', unverified: true, count: 1 },
  ]);
  expect(neverCreated).toBe(1);
});
