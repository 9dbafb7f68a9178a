import { judgeClaim } from '../../../../ledger/judge-claim';
import type { LedgerEntry, LedgerSession } from '../../../../ledger';
import { claimsOf } from '../../../../src/protocol/ledger/fold';
import { recordedSession } from '../../../../src/protocol/ledger/recorded-session';
import { parseCsv } from '../../cli/parse-csv';
import { exportedLine, headOf } from '../../../../ledger/sessions/exported-line';
import type { Environment } from './environment';
import type { ModelWorld } from './world';

/** The ledger’s data about the keys of an environment, as read by all its methods. The checks compare these readings. */
export interface Said {
  readonly environment: Environment;
  /** The rows of all payments, from the ledger’s list. */
  readonly listed: readonly LedgerSession[];
  /** For each key, the row of the claim that currently has the key. */
  readonly standing: ReadonlyMap<string, LedgerSession>;
  readonly entries: ReadonlyMap<string, readonly LedgerEntry[]>;
}

export const KEYS = ['order-0', 'order-1', 'order-2'] as const;

/** Reads the ledger’s data about the keys of an environment by all its methods. */
export async function readSaid(environment: Environment): Promise<Said> {
  const { payments } = environment.ledger;
  const listed: LedgerSession[] = [];
  for await (const row of payments.all({}, { by: 'claimed', direction: 'asc' })) listed.push(row);
  const entries = new Map<string, readonly LedgerEntry[]>();
  for (const key of KEYS) entries.set(key, await environment.ledger.entriesOf(key));
  return { environment, listed, standing: await payments.among(KEYS), entries };
}

/** Checks that the ledger’s list, records, answers to claims, exports and sums agree about each payment. */
export async function checkRows(world: ModelWorld, said: Said): Promise<void> {
  for (const key of KEYS) checkKey(world, said, key);
  checkExport(world, said);
  await checkLists(world, said);
}

function checkKey(world: ModelWorld, { environment, standing, entries, listed }: Said, key: string): void {
  const own = entries.get(key) ?? [];
  const row = standing.get(key);
  const recorded = recordedSession(key, own);
  const place = `${environment.name} ${key}`;
  if (row === undefined || recorded === undefined) {
    if (row !== undefined || recorded !== undefined)
      world.broken(`${place}: in ${row === undefined ? 'the record' : 'the list'} alone`);
    return;
  }
  const rows = listed.filter((one) => one.key === key);
  for (const each of rows) compare(world, place, each, own);
  if (!rows.some(({ claim }) => claim === row.claim))
    world.broken(`${place}: the row that answers is not listed`);
  const sessions = rows.map(({ sessionId }) => sessionId);
  checkAnswers(world, place, { row, own, sessions });
}

/** Compares a row of the list with the record of the same claim. */
function compare(world: ModelWorld, place: string, row: LedgerSession, own: readonly LedgerEntry[]): void {
  const recorded = recordedSession(row.key, own, row.claim);
  const state = recorded?.state;
  const inList = [
    row.outcome,
    row.paid,
    row.status,
    row.code,
    row.sessionId,
    row.failure,
    row.kind,
    row.account,
  ];
  const inRecord = [
    recorded?.outcome,
    state?.paid,
    state?.status,
    state?.code,
    state?.sessionId,
    state?.failure?.code,
    state?.kind,
    recorded?.account,
  ];
  if (JSON.stringify(inList) !== JSON.stringify(inRecord))
    world.broken(
      `${place} claim ${row.claim}: the list says ${JSON.stringify(inList)} and the record ${JSON.stringify(inRecord)}`,
    );
  const amount = state?.amount;
  if (amount !== undefined && row.amount !== amount)
    world.broken(`${place}: the list says ${String(row.amount)} and the record ${amount}`);
  const isParked = state?.phase === 'parked';
  if (isParked !== (row.parked === true))
    world.broken(`${place}: parked in ${isParked ? 'the record' : 'the list'} alone`);
  const result = recorded?.result;
  if (result !== undefined && (result.paid !== row.paid || result.status !== row.status))
    world.broken(`${place}: the result differs from the list`);
}

/** The data that decides the ledger’s answer to a claim: the row that has the key, the key’s entries, and the sessions of all rows of the key. */
interface Answering {
  readonly row: LedgerSession;
  readonly own: readonly LedgerEntry[];
  readonly sessions: readonly (string | undefined)[];
}

/** A time after everything that happens in a history. */
const LATER = '2100-01-01T00:00:00.000Z';

/** Checks the answers to claims of another workflow, with the same request and with another request. */
function checkAnswers(world: ModelWorld, place: string, { row, own, sessions }: Answering): void {
  const claims = claimsOf(own);
  const claimed = own.find(({ claim, fact }) => claim === row.claim && fact.kind === 'claimed')?.fact;
  if (claimed?.kind !== 'claimed' || claimed.request === undefined) return;
  const { fingerprint, account, request } = claimed;
  const asked = { key: row.key, fingerprint, firstRunId: 'another', account, request, at: LATER };
  const same = judgeClaim(claims, asked).answer;
  const other = judgeClaim(claims, { ...asked, fingerprint: 'another' }).answer;
  const isFree = same.outcome === 'claimed';
  if (isFree !== (other.outcome === 'claimed')) world.broken(`${place} is free for one request alone`);
  if (isFree && (row.sessionId !== undefined || row.outcome === 'open' || row.paid))
    world.broken(`${place} is free, and the list says ${JSON.stringify(row)}`);
  if (!isFree && other.outcome !== 'conflict')
    world.broken(`${place} is given to another request: ${other.outcome}`);
  const sessionId = same.outcome === 'created' ? same.sessionId.toLowerCase() : undefined;
  // A session that was recorded late belongs to the earlier claim until another workflow claims the key.
  const isLate = sessionId !== undefined && row.sessionId === undefined && sessions.includes(sessionId);
  const expected =
    row.outcome !== 'open' ? row.outcome : row.sessionId !== undefined || isLate ? 'created' : 'unknown';
  if (!isFree && same.outcome !== expected)
    world.broken(`${place}: a claim is answered ${same.outcome}, and the list says ${expected}`);
  if (sessionId !== undefined && !isLate && sessionId !== row.sessionId)
    world.broken(`${place}: a claim is answered with a session that differs from the list's`);
}

/** Checks that each line of the exports (CSV and JSON Lines) equals the row of its payment. */
function checkExport(world: ModelWorld, { environment, listed }: Said): void {
  const [head = [], ...lines] = parseCsv(
    headOf('csv') + listed.map((row) => exportedLine(row, 'csv')).join(''),
  );
  for (const [index, row] of listed.entries()) {
    const json = JSON.parse(exportedLine(row, 'jsonl')) as Record<string, unknown>;
    const cells: Readonly<Record<string, string | undefined>> = Object.fromEntries(
      head.map((name, place) => [name, lines[index]?.[place]]),
    );
    for (const name of [
      'key',
      'claim',
      'sessionId',
      'status',
      'code',
      'outcome',
      'paid',
      'money',
      'direction',
      'settledAt',
      'returnedAt',
    ] as const) {
      const text = row[name] === undefined ? '' : String(row[name]);
      if (cells[name] !== text || JSON.stringify(json[name] ?? '').replaceAll('"', '') !== text)
        world.broken(
          `${environment.name} ${row.key}: ${name} is exported as ${String(cells[name])} and ${String(json[name])}, and listed as ${text}`,
        );
    }
    const amount = row.amount?.toFixed(2) ?? '';
    if (cells['amount'] !== amount || (json['amount'] ?? '') !== amount)
      world.broken(`${environment.name} ${row.key}: the exported amount differs`);
  }
}

/** Compares the console's pages and sums with the list of payments. */
async function checkLists(world: ModelWorld, { environment, listed }: Said): Promise<void> {
  const { payments } = environment.ledger;
  const inOrder = (rows: readonly LedgerSession[]) =>
    JSON.stringify([...rows].map((row) => JSON.stringify(row)).sort());
  for (const by of ['claimed', 'ended', 'amount'] as const) {
    const paged: LedgerSession[] = [];
    let after: Awaited<ReturnType<typeof payments.page>>['next'];
    do {
      const page = await payments.page({}, { size: 2, order: { by, direction: 'desc' }, after });
      paged.push(...page.payments);
      after = page.next;
    } while (after !== undefined);
    if (inOrder(paged) !== inOrder(listed))
      world.broken(`${environment.name}: the pages by ${by} have other payments than the list`);
  }
  for (const filter of [
    {},
    { paid: true },
    { outcome: 'open' },
    { money: 'settled' },
    { direction: 'DEBIT' },
  ] as const) {
    const matching = listed.filter((row) =>
      Object.entries(filter).every(([name, value]) => row[name as keyof LedgerSession] === value),
    );
    const { count, sums } = await payments.totals(filter);
    const cents = matching.reduce((sum, { amount = 0 }) => sum + Math.round(amount * 100), 0);
    const summed = sums.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    if (count !== matching.length || cents !== summed)
      world.broken(
        `${environment.name}: ${JSON.stringify(filter)} has ${count} payments of ${summed} cents, and the list ${matching.length} of ${cents}`,
      );
  }
}
