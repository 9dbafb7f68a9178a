import { createHash } from 'node:crypto';
import type { LedgerFact } from '../../src/protocol/ledger/facts';
import type { WebhookEvent, WebhookKind } from '../../src/protocol/webhooks';
import { eventsOf } from './message';

const RUN = 'example';
const AMOUNT = 25;

/** Options of {@link exampleEvent}. */
export interface ExampleEventOptions {
  readonly key: string;
  readonly environment: string;
  /** The time of the event. */
  readonly at: Date;
}

/** Returns an example of an event of this kind. Its session does not exist, but the event has the same members as a real one. */
export function exampleEvent(kind: WebhookKind, { key, environment, at }: ExampleEventOptions): WebhookEvent {
  const time = at.toISOString();
  const facts =
    kind === 'session.parked' || kind === 'session.decided' ? parkedFacts(time) : paidFacts(key, time);
  const entries = facts.map((fact) => ({ claim: 1, fact }));
  const event = entries
    .flatMap((_entry, index) =>
      eventsOf({ key, environment, entries: entries.slice(0, index + 1), isPersonal: false }),
    )
    .find(({ type }) => type === kind);
  if (event === undefined) throw new TypeError(`no example sends ${kind}`);
  return event;
}

const claimed = (at: string): LedgerFact => ({
  kind: 'claimed',
  at,
  fingerprint: RUN,
  firstRunId: RUN,
  account: 'default',
  sessionKind: 'EFT',
  direction: 'DEBIT',
  amount: AMOUNT,
  currency: 'CAD',
});

/** Returns the facts of a session that is paid and ends, and whose money arrives and then comes back. */
function paidFacts(key: string, at: string): readonly LedgerFact[] {
  const paid = { status: 'Completed', code: 'EFT0301', amount: AMOUNT };
  return [
    claimed(at),
    { kind: 'opened', at, sessionId: sessionIdFor(key), how: 'create' },
    { kind: 'state', at, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create', amount: AMOUNT },
    { kind: 'state', at, number: 2, source: 'poll', ...paid },
    { kind: 'ended', at, firstRunId: RUN, paid: true, leftNothing: false, ...paid },
    { kind: 'settled', at, amount: AMOUNT },
    { kind: 'returned', at, amount: AMOUNT, code: '901' },
  ];
}

/** Returns the facts of a session whose create request got no answer. It was parked, and an operator has made a decision about it. */
const parkedFacts = (at: string): readonly LedgerFact[] => [
  claimed(at),
  { kind: 'parked', at, number: 1, id: RUN, code: 'SERVICE_INTERRUPTED' },
  { kind: 'decision', at, number: 1, id: RUN, decision: 'abandon', result: 'applied' },
];

/** Returns a UUID that depends only on the key. */
function sessionIdFor(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
