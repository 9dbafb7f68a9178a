import { isPaid } from '../../src/contract';
import { isDay, DAY_MS, dayOf } from '../../src/contract/values/day';
import type { SandboxSession } from '../sessions/session';
import { csvCell } from '../../src/contract/values/text';

/** The client and the day of a reconciliation file. */
export interface ReconciliationQuery {
  /** Such as 2026-05-06, in UTC. */
  readonly day: string;
  /** Only the sessions of this client. @default those of all clients */
  readonly clientId?: string | undefined;
}

const HEAD = ['reference', 'session', 'amount', 'currency', 'date', 'kind', 'code'];

/**
 * Returns the file that the service delivers for a day, as CSV: payments that settle or come back on that day, the oldest session first. By
 * default, a paid session settles on the day after it was paid. The day may be in the future. Throws `RangeError` for an invalid day.
 */
export function reconciliationFile(
  newestFirst: readonly SandboxSession[],
  { day, clientId }: ReconciliationQuery,
): string {
  if (!isDay(day)) throw new RangeError(`"${day}" is not a day such as 2026-05-06`);
  const asked = newestFirst
    .toReversed()
    .filter((session) => clientId === undefined || session.clientId === clientId);
  return fileOf(
    asked.flatMap((session) => linesOf(session).filter(({ atMs }) => dayOf(new Date(atMs)) === day)),
  );
}

/** Returns a file with the lines of one session, from all days up to now. */
export const linesOfSession = (session: SandboxSession, nowMs: number): string =>
  fileOf(linesOf(session).filter(({ atMs }) => atMs <= nowMs));

interface Line {
  readonly atMs: number;
  readonly cells: readonly string[];
}

const fileOf = (lines: readonly Line[]): string =>
  [HEAD, ...lines.map(({ cells }) => cells)].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');

/** Returns the time at which a paid session settles, in milliseconds since the epoch; `undefined` if it is not paid. */
export function settlesAtMs({ state, settlesAfterMs = DAY_MS }: SandboxSession): number | undefined {
  const { status, code, kind, amount, endedAtMs } = state;
  if (endedAtMs === undefined || amount === null || !isPaid(kind, { status, code })) return undefined;
  return endedAtMs + settlesAfterMs;
}

/** Returns the lines of a session's settlement and planned return, including those in the future. An unpaid session has no lines. */
function linesOf(session: SandboxSession): readonly Line[] {
  const { referenceId, sessionId, state, returns } = session;
  const settledAtMs = settlesAtMs(session);
  if (settledAtMs === undefined) return [];
  const amount = state.amount ?? 0;
  const line = (atMs: number, moved: string, why: string): Line => ({
    atMs,
    cells: [referenceId ?? '', sessionId, amount.toFixed(2), 'CAD', dayOf(new Date(atMs)), moved, why],
  });
  const settled = line(settledAtMs, 'settled', '');
  return returns === undefined
    ? [settled]
    : [settled, line(settledAtMs + returns.afterMs, 'returned', returns.code)];
}
