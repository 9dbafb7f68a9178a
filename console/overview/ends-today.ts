import { SESSION_CODES, SESSION_STATUSES, type SessionKind } from '../../src/contract';
import { UNREADABLE } from '../../src/protocol/names';
import type { SessionFilter } from '../../src/sessions';
import { clockIn, momentIn } from '../../src/web/shell/time';
import type { Reading } from '../reading/reading';

/** Sessions with the same end today. */
export interface EndGroup {
  readonly status: string;
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
  /** Sessions that were never created at the service. */
  readonly neverCreated: number;
}

/** The kind whose sessions are paid by status alone. */
const PAID_WITHOUT_CODE = { status: 'Completed', kind: 'e-Transfer' } as const;

const UNVERIFIED: SessionFilter = { problem: 'unverifiedEnd' };

type Count = (filter: SessionFilter) => Promise<number>;

/**
 * Counts the sessions that ended after a moment by status and code. E-Transfers have no codes, and are counted by kind. Unverified ends are
 * separate groups, because their status is only the last one reported. Runs that the ledger has answered are left out: their sessions had
 * ended before.
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
  const ended = [...verified, ...unverified.map((group) => ({ ...group, unverified: true as const }))];
  const created = groups.reduce((total, group) => total + group.count, 0);
  return {
    groups: ended.filter((group) => group.count > 0).sort((a, b) => b.count - a.count),
    // Counts taken at different moments may differ by the ends in between.
    neverCreated: Math.max(0, all - created),
  };
}

/** Returns today's midnight in the time zone. */
export const startOfToday = (timeZone: string): Date =>
  momentIn(`${clockIn(new Date(), timeZone).day}T00:00`, timeZone);

const isAlike = (a: EndGroup, b: EndGroup): boolean =>
  a.status === b.status && a.code === b.code && a.kind === b.kind;

/** Splits each status into its codes, its kind if that decides, and the rest. */
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
  const others = byStatus.map((group) => ({ ...group, count: group.count - sum(known, group.status) }));
  return [...known, ...others];
}

const sum = (groups: readonly EndGroup[], of: string): number =>
  groups.reduce((total, { status, count }) => (status === of ? total + count : total), 0);
