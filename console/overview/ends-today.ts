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
  /** Present if the kind decides what the status means. */
  readonly kind?: SessionKind;
  /** True if they ended at their deadlines, and the payment service could not be polled after that. */
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
 * Counts the sessions that ended after `endedAfter`, by status and code. Completed e-Transfers, which have no code, are counted by kind.
 * Unverified ends are separate groups, because their status is only the last one reported. Runs that the ledger has answered are left out:
 * their keys' sessions had ended before.
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
  // Counts taken at different moments may differ by the ends in between.
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

/** Splits the sessions of each status by code, by kind if the kind decides what the status means, and the rest. */
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
