import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerDatabase, PaymentLedger } from '../../../ledger';
import { settlesAtMs } from '../../../sandbox/sessions/reconciliation-file';
import { codeOf } from '../episode/retry-until';
import type { SessionRun } from '../episode/session-run';
import type { Lane, World } from '../episode/world';
import type { Violation } from '../invariants/evidence';
import { checkMoney, type MoneyLine } from '../invariants/money';
import type { BookStep, Plan } from '../plan/plan';
import { LEDGER_ENVIRONMENT } from '../processes/worker-messages';
import type { LedgerKeeper } from './keeper';
import type { LedgerHost } from './ledger-host';
import { CUTS, Line } from './line';
import { keptLines, recordedKeys, type KeptLine, type RecordedKey } from './recorded';

const CHECK_EVERY_MS = 50;
const DAY_MS = 86_400_000;
/** The number of days whose files have lines. A payment settles on the next day and may come back two days later. */
const DAYS = 5;
const HEAD = 'reference,session,amount,currency,date,kind,code';
/** The amount of the first stranger (a line whose money belongs to no session). No other line has a stranger's amount. */
const FIRST_STRANGER_CENTS = 900_000_00;
const MOST_LINES = 100_000;

/**
 * The SQL statements at which a run is cut off. Runs use them in turn. The first text matches the run's first insert, which records a line
 * if any line is new. The second text matches the insert that records the run itself.
 */
const CUT_STATEMENTS = [
  'insert into paysession_ledger.',
  'insert into paysession_ledger.reconciliation_runs',
];

/**
 * Reconciles the payment service's files with a ledger while the campaign runs. At the end, compares the money in the files with the money
 * in the ledger.
 */
export class Bookkeeper {
  readonly figures = {
    'lines of the service': 0,
    'of these, returns': 0,
    'lines of no session': 0,
    'lines that were kept': 0,
    'of these, matched by a later run': 0,
    'of these, explained by a person': 0,
    'runs that came to their end': 0,
    'runs that were cut off': 0,
    'runs during which the ledger was killed': 0,
    read: 0,
    readReferences: 0,
    readTwice: 0,
    readAtOnce: 0,
    killRun: 0,
    killLedger: 0,
    stranger: 0,
    explain: 0,
  } satisfies Record<BookStep, number> & Record<string, number>;
  readonly #world: World;
  readonly #host: LedgerHost;
  readonly #keeper: LedgerKeeper;
  readonly #beganAtMs = Date.now();
  readonly #strangers: MoneyLine[] = [];
  /** The ids of sessions whose lines were read without ids. */
  readonly #unnamed = new Set<string>();
  readonly #explained = new Set<string>();
  readonly #failures: string[] = [];

  constructor(world: World, host: LedgerHost, keeper: LedgerKeeper) {
    this.#world = world;
    this.#host = host;
    this.#keeper = keeper;
  }

  /** Carries out the bookkeeper's steps of an episode. Each step waits until `after` payments are made, or until `played` resolves. */
  async keep(lane: Lane, plan: Plan, runs: readonly SessionRun[], played: Promise<unknown>): Promise<void> {
    const over = played.then(
      () => true,
      () => true,
    );
    let isOver = false;
    const paid = () =>
      runs.flatMap(({ created }) => created).filter((session) => settlesAtMs(session) !== undefined).length;
    for (const { after, does } of plan.books ?? []) {
      while (!isOver && paid() < after) isOver = await Promise.race([over, sleep(CHECK_EVERY_MS, false)]);
      this.figures[does] += 1;
      await this.#recordingErrors(() => this.#take(does, lane, runs));
    }
  }

  /** Reads the file of all accounts. */
  async readNow(): Promise<void> {
    this.figures.read += 1;
    await this.#recordingErrors(() => this.#read(this.#linesOf()));
  }

  /**
   * Checks invariant (z). Reads all files again, by two runs at once. Then reads the lines without ids again that were read without ids
   * before. Compares the money at the service with the money in the ledger. There must be no more faults.
   */
  async close(): Promise<Violation[]> {
    const lines = this.#linesOf();
    const named = [...lines, ...this.#strangers];
    await Promise.all([this.#read(named), this.#read(named)]);
    await this.#read(lines.filter(({ sessionId = '' }) => this.#unnamed.has(sessionId)).map(withoutId));
    const database = new LedgerDatabase(this.#host.ownUrl);
    try {
      return await this.#compare(lines, await recordedKeys(database), await keptLines(database));
    } finally {
      await database.close();
    }
  }

  async #compare(
    lines: readonly MoneyLine[],
    recorded: ReadonlyMap<string, RecordedKey>,
    kept: readonly KeptLine[],
  ): Promise<Violation[]> {
    const { payments, unmatched } = this.#keeper.ledger;
    const sumOf = async (money: 'settled' | 'returned') =>
      toCents((await payments.totals({ money })).sums.map(({ amount }) => amount));
    const waiting = await unmatched.totals();
    Object.assign(this.figures, {
      'lines of the service': lines.length,
      'of these, returns': lines.filter(({ kind }) => kind === 'returned').length,
      'lines of no session': this.#strangers.length,
      'lines that were kept': kept.length,
      'of these, matched by a later run': kept.filter(({ isMatched }) => isMatched).length,
      'of these, explained by a person': kept.filter(({ isExplained }) => isExplained).length,
    });
    return checkMoney({
      lines,
      strangers: this.#strangers,
      recorded,
      kept,
      explained: this.#explained,
      failures: this.#failures,
      sums: {
        stayed: await sumOf('settled'),
        returned: await sumOf('returned'),
        waiting: toCents(waiting.sums.flatMap(({ settled, returned }) => [settled, returned])),
      },
    });
  }

  /** Does work. If it fails, records the error code. */
  async #recordingErrors(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures.push(codeOf(error));
    }
  }

  async #take(does: BookStep, lane: Lane, runs: readonly SessionRun[]): Promise<void> {
    const file = this.#fileOf(lane, runs);
    switch (does) {
      case 'read':
        return this.#read(file);
      case 'readReferences':
        return this.#read(this.#unnamedIn(file, runs));
      case 'readTwice':
        await this.#read(file);
        return this.#read(file);
      case 'readAtOnce':
        await Promise.all([this.#read(file), this.#read(file)]);
        return;
      case 'killRun':
      case 'killLedger':
        return this.#break(file, does);
      case 'stranger':
        return this.#read([...file, this.#stranger(file)]);
      case 'explain':
        return this.#explain();
    }
  }

  /** Returns the lines of an account, or of all accounts. The latest day comes first, so a return comes before its settlement. */
  #linesOf(clientId?: string): readonly MoneyLine[] {
    const days = Array.from({ length: DAYS }, (_, day) =>
      new Date(this.#beganAtMs + day * DAY_MS).toISOString().slice(0, HEAD_OF_DAY),
    );
    return days.toReversed().flatMap((day) => {
      const [, ...rows] = this.#world.sandbox.reconciliation({ day, clientId }).trimEnd().split('\r\n');
      return rows.map(toLine);
    });
  }

  /** Returns the lines of an account during an episode. Leaves out the settlements that are planned to be late. */
  #fileOf({ account }: Lane, runs: readonly SessionRun[]): readonly MoneyLine[] {
    const late = sessionsOf(runs.filter(({ plan }) => plan.money?.settles === 'late'));
    return this.#linesOf(account).filter(
      ({ kind, sessionId = '' }) => kind === 'returned' || !late.has(sessionId),
    );
  }

  /** Returns the lines, some of them without session ids. A line loses its id if no other session has, or will have, the same reference. */
  #unnamedIn(file: readonly MoneyLine[], runs: readonly SessionRun[]): readonly MoneyLine[] {
    const single = sessionsOf(
      runs.filter(
        ({ plan, created }) =>
          !plan.sharesReference &&
          created.length === 1 &&
          !plan.acts.some(({ act }) => act.startsWith('reset')),
      ),
    );
    return file.map((line) => {
      if (line.sessionId === undefined || !single.has(line.sessionId)) return line;
      this.#unnamed.add(line.sessionId);
      return withoutId(line);
    });
  }

  /** Returns a new stranger, a line whose money belongs to no session. */
  #stranger([like]: readonly MoneyLine[]): MoneyLine {
    const number = this.#strangers.length;
    const amount = ((FIRST_STRANGER_CENTS + number) / 100).toFixed(2);
    const day = like?.day ?? new Date(this.#beganAtMs).toISOString().slice(0, HEAD_OF_DAY);
    const line: MoneyLine = { reference: `stranger-${number}`, amount, day, kind: 'settled', code: '' };
    this.#strangers.push(line);
    return line;
  }

  /** Reads a file. Repeats this while the ledger is unavailable. Each run has its own connections. */
  async #read(lines: readonly MoneyLine[]): Promise<void> {
    await this.#keeper.patiently(() => this.#run(lines, this.#host.url));
  }

  async #run(lines: readonly MoneyLine[], url: string): Promise<void> {
    const ledger = new PaymentLedger({ url, environment: LEDGER_ENVIRONMENT });
    try {
      const run = ledger.reconcile(fileOf(lines));
      while ((await run.next()).done !== true);
      this.figures['runs that came to their end'] += 1;
    } finally {
      await ledger.close();
    }
  }

  /**
   * Reads a file and breaks the run in the middle of a commit. For `killRun`, cuts the run's connections, as if its process were killed.
   * For `killLedger`, kills the ledger.
   */
  async #break(lines: readonly MoneyLine[], does: 'killRun' | 'killLedger'): Promise<void> {
    const { desk, windsUp } = this.#world;
    if (windsUp()) return this.#read(lines);
    const times = this.figures[does];
    const line = new Line(
      Number(new URL(this.#host.ownUrl).port),
      CUT_STATEMENTS[times % CUT_STATEMENTS.length],
    );
    const url = await line.over(this.#host.ownUrl);
    let isOver = false;
    const isCut = line.cutNext(CUTS[times % CUTS.length] ?? CUTS[0]).then(async () => {
      if (isOver) return;
      if (does === 'killRun') {
        this.figures['runs that were cut off'] += 1;
        await line.close();
      } else if (
        await desk.strike('killLedger', { worker: '', where: 'reconciliation' }, () => this.#probe())
      )
        this.figures['runs during which the ledger was killed'] += 1;
    });
    // The error is ignored. If it comes from the cut, it is expected. If it is permanent, the next run fails with it, too.
    await this.#run(lines, url).catch(() => undefined);
    isOver = true;
    line.spare();
    await isCut;
    await line.close();
  }

  async #probe(): Promise<void> {
    await this.#keeper.patiently(() => this.#keeper.ledger.unmatched.totals());
  }

  /** Explains one of the waiting lines, as an operator does. The payment of this line may still be recorded later. */
  async #explain(): Promise<void> {
    const { ledger } = this.#keeper;
    const { lines } = await this.#keeper.patiently(() => ledger.unmatched.page({ size: MOST_LINES }));
    const line = lines[this.figures.explain % lines.length];
    if (line === undefined) return;
    const explained = { by: 'campaign', reason: 'asked the payment service' };
    if ((await this.#keeper.patiently(() => ledger.explainLine(line.id, explained))) === 'explained')
      this.#explained.add(line.id);
  }
}

const HEAD_OF_DAY = 'yyyy-mm-dd'.length;

const sessionsOf = (runs: readonly SessionRun[]): ReadonlySet<string> =>
  new Set(runs.flatMap(({ created }) => created.map(({ sessionId }) => sessionId)));

const withoutId = ({ sessionId: _id, ...line }: MoneyLine): MoneyLine => line;

/** Splitting at commas is enough, because no cell of these files contains a comma. */
function toLine(row: string): MoneyLine {
  const [reference = '', sessionId = '', amount = '', , day = '', kind = '', code = ''] = row.split(',');
  return { reference, sessionId, amount, day, kind, code };
}

const fileOf = (lines: readonly MoneyLine[]): string =>
  [
    HEAD,
    ...lines.map(({ reference, sessionId = '', amount, day, kind, code }) =>
      [reference, sessionId, amount, 'CAD', day, kind, code].join(','),
    ),
  ]
    .map((row) => `${row}\r\n`)
    .join('');

const toCents = (amounts: readonly string[]): number =>
  Math.round(amounts.reduce((sum, amount) => sum + Number(amount) * 100, 0));
