import type { Said } from './check-rows';
import { placeOf, type ModelWorld } from './world';

/** Checks that the ledger’s settled and returned money equals the sum of the recorded reconciliation lines, by payment and by day. */
export async function checkMoney(world: ModelWorld, { environment, listed, entries }: Said): Promise<void> {
  const lines = world.known.lines.filter((line) => line.environment === environment.name);
  for (const kind of ['settled', 'returned'] as const) {
    const told = lines.filter((line) => line.kind === kind);
    const recorded = [...entries.values()]
      .flat()
      .flatMap(({ fact }) => (fact.kind === kind ? [Math.round(fact.amount * 100)] : []));
    const rows = listed.filter((row) => (kind === 'settled' ? row.settledAt : row.returnedAt) !== undefined);
    const cents = [
      sum(told.map((line) => line.cents)),
      sum(recorded),
      sum(rows.map(({ amount = 0 }) => Math.round(amount * 100))),
    ];
    if (new Set(cents).size > 1)
      world.broken(`${environment.name}: ${kind} lines, entries and rows come to ${cents.join(', ')} cents`);
    await checkDays(world, environment.name, { kind, told, days: await daysOf({ environment, kind }) });
  }
  checkWhose(world, { environment, listed, entries } as Said);
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

async function daysOf({
  environment,
  kind,
}: {
  readonly environment: Said['environment'];
  readonly kind: 'settled' | 'returned';
}) {
  const days = await environment.ledger.payments.days({
    from: '2026-03-01',
    to: '2027-12-31',
    timeZone: 'America/Toronto',
  });
  return days.filter(({ figure }) => figure === kind);
}

async function checkDays(
  world: ModelWorld,
  environment: string,
  {
    kind,
    told,
    days,
  }: {
    readonly kind: string;
    readonly told: readonly { readonly day: string; readonly cents: number }[];
    readonly days: Awaited<ReturnType<typeof daysOf>>;
  },
): Promise<void> {
  for (const day of new Set([...told, ...days].map((one) => one.day))) {
    const lines = sum(told.filter((line) => line.day === day).map(({ cents }) => cents));
    const figures = sum(
      days.filter((one) => one.day === day).map(({ amount }) => Math.round(Number(amount) * 100)),
    );
    if (lines !== figures)
      world.broken(`${environment}: ${lines} cents were ${kind} on ${day}, and the days say ${figures}`);
  }
  return Promise.resolve();
}

/** Checks that each recorded line is in a row of its payment. A line with a session id must be in the row of that session. */
function checkWhose(world: ModelWorld, { environment, listed }: Said): void {
  for (const { environment: name, key, sessionId, isById, kind, day } of world.known.lines) {
    if (name !== environment.name) continue;
    const rows = listed.filter(
      (row) => row.key === key && (kind === 'settled' ? row.settledAt : row.returnedAt)?.startsWith(day),
    );
    const isOfIt = rows.some((row) => row.sessionId === sessionId);
    const [row] = rows;
    if (row === undefined)
      world.broken(`${placeOf(name, key)} was ${kind} on ${day}, and no row of it says so`);
    else if (isById && !isOfIt)
      world.broken(
        `${placeOf(name, key)}: the money of ${sessionId} is with ${row.sessionId ?? 'no session'}`,
      );
  }
}
