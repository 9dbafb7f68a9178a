import fc from 'fast-check';
import type { LedgerFact, PaymentLedger } from '../../../ledger';
import { isPaysessionError } from '../../../src/errors';
import { fingerprintOf } from '../../../src/sessions';
import { credit, eft } from '../requests';
import { CLAIM } from './claim';
import type { LedgerClaim } from '../../../src/protocol/ledger/facts';

const KEYS = ['a', 'b'] as const;
const STATUSES = ['Initiated', 'Completed', 'Failed', 'Cancelled'];
const CODES = ['EFT0101', 'EFT0301', 'EFT0302', undefined];

/** One step of a random history: a fact about a workflow. The order is random, and may be one that cannot happen in reality. */
const step = fc.record({
  key: fc.constantFrom(...KEYS),
  run: fc.integer({ min: 1, max: 3 }),
  number: fc.integer({ min: 1, max: 12 }),
  what: fc.constantFrom(
    ...([
      'claim',
      'claim',
      'claim',
      'createUnknown',
      'opened',
      'opened',
      'state',
      'state',
      'parked',
    ] as const),
    ...(['decision', 'ended', 'ended', 'settled', 'returned', 'erased'] as const),
  ),
  status: fc.constantFrom(...STATUSES),
  code: fc.constantFrom(...CODES),
  flag: fc.boolean(),
  request: fc.constantFrom('EFT', 'EFT', 'open amount', 'credit'),
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Generates the steps of two keys. Up to three workflows claim each key. */
export const histories = fc.array(step, { minLength: 3, maxLength: 30 });

export type Keys = Readonly<Record<(typeof KEYS)[number], string>>;

/** Returns the two keys of the history with this id. No other history uses them. */
export const keysOf = (id: string): Keys => ({ a: `${id}-a`, b: `${id}-b` });

const timeOf = (index: number) => new Date(Date.UTC(2026, 2, 1) + index * 7 * 3_600_000).toISOString();

/**
 * Records a history in the ledger with the keys of `id`, a UUID. Calls `recorded` after each step. Ignores two errors: the ledger
 * refuses a session that another key has, and refuses to erase a session that does not exist.
 */
export async function play(
  ledger: PaymentLedger,
  steps: readonly Step[],
  { id, recorded }: { readonly id: string; readonly recorded?: (key: string) => Promise<void> },
): Promise<void> {
  for (const [index, one] of steps.entries()) {
    const key = keysOf(id)[one.key];
    await playStep(ledger, one, { id, key, at: timeOf(index) });
    await recorded?.(key);
  }
}

interface Place {
  readonly id: string;
  readonly key: string;
  readonly at: string;
}

async function playStep(ledger: PaymentLedger, one: Step, place: Place): Promise<void> {
  const claim = claimOf(one, place);
  try {
    const fact = factOf(one, place);
    if (one.what === 'erased') await ledger.erase(place.key, { by: 'ann', reason: 'asked' });
    else if (fact === undefined) await ledger.claim(claim);
    else if ((await ledger.record(claim, [fact])) === undefined) await ledger.recordEnded(claim, [fact]);
  } catch (error) {
    if (!isPaysessionError(error, 'SESSION_FOLLOWED') && !isPaysessionError(error, 'SESSION_NOT_FOUND'))
      throw error;
  }
}

const runOf = ({ run }: Step, { id }: Place): string => `${id}-run-${run}`;

function claimOf(one: Step, place: Place): LedgerClaim {
  const { key, at } = place;
  const { amount: _amount, ...open } = eft();
  const request = { EFT: eft(), 'open amount': open, credit: { ...credit(), amount: 12.5 } }[one.request];
  return {
    ...CLAIM,
    key,
    firstRunId: runOf(one, place),
    fingerprint: fingerprintOf({ key, account: 'default', request }),
    account: one.flag ? 'west' : 'default',
    request,
    at,
    referenceId: `ref-${one.number}`,
    ...(one.flag && {
      metadata: { customer: `cus_${one.number}`, note: 'call first' },
      searchable: ['customer'],
    }),
  };
}

/** Returns a session id, sometimes in capitals. The spelling in capitals means the same session. */
function sessionIdOf({ number, flag }: Step, { id }: Place): string {
  const sessionId = `${id.slice(0, -2)}${String(number).padStart(2, '0')}`;
  return flag ? sessionId.toUpperCase() : sessionId;
}

function factOf(one: Step, place: Place): LedgerFact | undefined {
  const { run, number, what, status, code, flag } = one;
  const { at } = place;
  const amount = number + 0.07;
  const day = `${at.slice(0, 10)}T00:00:00.000Z`;
  const reported = { status, ...(code !== undefined && { code }) };
  switch (what) {
    case 'createUnknown':
      return { kind: 'createUnknown', at, attempt: `${run}-${number}`, code: 'SERVICE_INTERRUPTED' };
    case 'opened':
      return { kind: 'opened', at, sessionId: sessionIdOf(one, place), how: flag ? 'adopt' : 'create' };
    case 'state':
      return { kind: 'state', at, number, source: 'poll', ...reported, ...(flag && { amount }) };
    case 'parked':
      return { kind: 'parked', at, number, id: `${run}-${number}`, code: 'CREATE_OUTCOME_UNKNOWN' };
    case 'decision':
      return { kind: 'decision', at, number, decision: flag ? 'retry' : 'refresh', result: 'applied' };
    case 'ended': {
      const leftNothing = flag && code === undefined;
      const end = { kind: 'ended', at, firstRunId: runOf(one, place), leftNothing } as const;
      if (number === 1) return { ...end, paid: false, failure: 'CREATE_ABANDONED' };
      return { ...end, paid: code === 'EFT0301', ...(number > 3 && reported), ...(flag && { amount }) };
    }
    case 'settled':
      return { kind: 'settled', at: day, amount };
    case 'returned':
      return { kind: 'returned', at: day, amount, ...(flag && { code: 'NSF' }) };
    case 'claim':
    case 'erased':
      return undefined;
  }
}
