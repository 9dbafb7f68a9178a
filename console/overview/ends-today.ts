import { SESSION_CODES, SESSION_STATUSES, type SessionKind } from '../../src/contract';
import { UNREADABLE } from '../../src/protocol/names';
import type { SessionFilter } from '../../src/sessions';
import type { Reading } from '../reading/reading';

/** Sessions that ended alike today. */
export interface EndGroup {
  readonly status: string;
  readonly code?: string;
  /** Where it decides what the status means. */
  readonly kind?: SessionKind;
  readonly count: number;
}

export interface EndsToday {
  /** Each with at least one session. */
  readonly groups: readonly EndGroup[];
  /** Sessions that were never created at the service. */
  readonly neverCreated: number;
}

/** A session of this kind is paid with a status alone. */
const PAID_WITHOUT_CODE = { status: 'Completed', kind: 'e-Transfer' } as const;

/** What ended since midnight UTC, by status and code; of e-Transfers, which have no codes, by kind. */
export async function endsToday(reading: Reading): Promise<EndsToday> {
  const endedAfter = new Date(new Date().setUTCHours(0, 0, 0, 0));
  const count = (filter: SessionFilter) => reading.countNow({ ...filter, running: false, endedAfter });
  const [all, byStatus] = await Promise.all([
    count({}),
    Promise.all(
      [...SESSION_STATUSES, UNREADABLE].map(async (status) => ({ status, count: await count({ status }) })),
    ),
  ]);
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
  const created = byStatus.reduce((total, group) => total + group.count, 0);
  return {
    groups: [...known, ...others].filter((group) => group.count > 0).sort((a, b) => b.count - a.count),
    // Counts of a moment apart may differ by what ended in between.
    neverCreated: Math.max(0, all - created),
  };
}

const sum = (groups: readonly EndGroup[], of: string): number =>
  groups.reduce((total, { status, count }) => (status === of ? total + count : total), 0);
