import { expect, test } from '@jest/globals';
import { endsToday, startOfToday } from '../../../console/overview/ends-today';
import type { SessionFilter } from '../../../src/sessions';

const TODAY = startOfToday('UTC');

type Ended = Pick<SessionFilter, 'status' | 'code' | 'kind' | 'problem'>;

const UNVERIFIED = { status: 'Initiated', code: 'EFT0101', kind: 'EFT', problem: 'unverifiedEnd' } as const;

/** Temporal's index, with sessions that ended today. */
const indexOf = (sessions: readonly Ended[]) => ({
  countNow: (filter: SessionFilter) => {
    const names = ['status', 'code', 'kind', 'problem'] as const;
    const isMeant = (session: Ended) =>
      names.every((name) => filter[name] === undefined || filter[name] === (session[name] ?? null));
    return Promise.resolve(sessions.filter(isMeant).length);
  },
});

test('unverified ends are a separate group', async () => {
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

test('unverified ends without a code are a separate group, too', async () => {
  const { groups, neverCreated } = await endsToday(
    indexOf([{ status: 'Initiated', kind: 'e-Transfer', problem: 'unverifiedEnd' }, { kind: 'EFT' }]),
    TODAY,
  );
  expect(groups).toEqual([{ status: 'Initiated', unverified: true, count: 1 }]);
  expect(neverCreated).toBe(1);
});

test('unverified ends with a status that this version does not know do not count as never created', async () => {
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
