import { SESSION_CODES, SESSION_STATUSES, type SessionKind } from '../../src/contract';
import { UNREADABLE } from '../../src/protocol/names';
import type { SessionFilter } from '../../src/sessions';
import { clockIn, momentIn } from '../../src/web/shell/time';
import type { Reading } from '../reading/reading';

/** Sessions with the same end today. */
export interface EndGroup {
  /** Absent for unverified ends with statuses that this version does not know. */
  readonly status?: string;
  readonly code?: string;
  /** Present if the meaning of the status depends on the kind. */
  readonly kind?: SessionKind;
  /** True if the sessions ended at their deadlines and the payment service could not be polled after the deadline. */
  readonly unverified?: true;
  readonly count: number;
}

export interface EndsToday {
  /** Each with at least one session. */
  readonly groups: readonly EndGroup[];
  /** The number of other sessions that ended without a known status. Most of them were never created at the service. */
  readonly neverCreated: number;
}

/** The status and the kind of sessions that are paid without a code. */
const PAID_WITHOUT_CODE = { status: 'Completed', kind: 'e-Transfer' } as const;

const UNVERIFIED: SessionFilter = { problem: 'unverifiedEnd' };

type Count = (filter: SessionFilter) => Promise<number>;

/**
 * Counts the sessions that ended after `endedAfter`, by status and code. Completed e-Transfers have no code and are counted by kind.
 * Unverified ends are groups of their own, because their status is only the last reported one. Leaves out workflow runs that ended at once
 * because the ledger already had the key's ended session (the phase `answered`).
 */
export async function endsToday(reading: Pick<Reading, 'countNow'>, endedAfter: Date): Promise<EndsToday> {
  const count: Count = (filter) =>
    reading.countNow({ ...filter, running: false, answered: false, endedAfter });
  const [all, anyUnverified, groups] = await Promise.all([count({}), count(UNVERIFIED), groupsOf(count)]);
  const unverified =
    anyUnverified === 0 ? [] : await groupsOf((filter) => count({ ...filter, ...UNVERIFIED }));
  const verified = groups.map((group) => ({
    ...group,
    count: group.count - (unverified.find((other) => isAlike(group, other))?.count ?? 0),
  }));
  // The counts are taken at different moments, so sessions that end in between may be in only some of them.
  const unknown = { count: Math.max(0, anyUnverified - total(unverified)) };
  const ended = [
    ...verified,
    ...[...unverified, unknown].map((group) => ({ ...group, unverified: true as const })),
  ];
  return {
    groups: ended.filter((group) => group.count > 0).sort((a, b) => b.count - a.count),
    neverCreated: Math.max(0, all - total(groups) - unknown.count),
  };
}

/** Returns today's midnight in the time zone. */
export const startOfToday = (timeZone: string): Date =>
  momentIn(`${clockIn(new Date(), timeZone).day}T00:00`, timeZone);

const isAlike = (a: EndGroup, b: EndGroup): boolean =>
  a.status === b.status && a.code === b.code && a.kind === b.kind;

/**
 * Splits the sessions of each status by code. If the meaning of a status depends on the kind, also splits them by kind. The rest is one
 * group.
 */
async function groupsOf(count: Count): Promise<readonly EndGroup[]> {
  const byStatus = await Promise.all(
    [...SESSION_STATUSES, UNREADABLE].map(async (status) => ({ status, count: await count({ status }) })),
  );
  const present = new Set(byStatus.flatMap((group) => (group.count > 0 ? [group.status] : [])));
  const codes = Object.entries(SESSION_CODES).filter(([, { status }]) => present.has(status));
  const byCode = await Promise.all(
    codes.map(async ([code, { status }]) => ({ status, code, count: await count({ status, code }) })),
  );
  const byKind = present.has(PAID_WITHOUT_CODE.status)
    ? [{ ...PAID_WITHOUT_CODE, count: await count({ ...PAID_WITHOUT_CODE, code: null }) }]
    : [];
  const known: readonly EndGroup[] = [...byCode, ...byKind];
  const others = byStatus.map(({ status, count: all }) => ({
    status,
    count: all - total(known.filter((group) => group.status === status)),
  }));
  return [...known, ...others];
}

const total = (groups: readonly EndGroup[]): number => groups.reduce((sum, { count }) => sum + count, 0);
