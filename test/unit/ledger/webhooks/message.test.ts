import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../../ledger';
import { toStored } from '../../../../ledger/stored-fact';
import { kindsOf, messageId, eventsOf } from '../../../../ledger/webhooks/message';
import type { WebhookKind } from '../../../../src/protocol/webhooks';
import type { ClaimFact } from '../../../../src/protocol/ledger/fold';
import { eft } from '../../../support/requests';
import { paidState } from '../../../support/ledger/claim';

// The ledger records facts of a session as entries. Each new entry may send webhooks to the user's endpoints. Entries belong to
// claims: a claim is the record that a key belongs to one workflow.
const at = '2026-03-01T12:00:00.000Z';
const claimed = {
  kind: 'claimed',
  at,
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  sessionKind: 'EFT',
  direction: 'DEBIT',
  amount: 25,
  currency: 'CAD',
  request: eft(),
} satisfies LedgerFact;
const opened: LedgerFact = { kind: 'opened', at, sessionId: 'id-1', how: 'create' };
const initiated: LedgerFact = {
  kind: 'state',
  at,
  number: 1,
  status: 'Initiated',
  code: 'EFT0101',
  source: 'create',
};
const unsigned: LedgerFact = {
  kind: 'state',
  at,
  number: 2,
  status: 'Completed',
  code: 'EFT0302',
  source: 'poll',
};
const scheduled = paidState(at);
const decided = {
  kind: 'decision',
  number: 1,
  decision: 'retry',
  by: 'ann',
  reason: 'seen',
  result: 'applied',
  at,
} satisfies LedgerFact;
const anomaly = {
  kind: 'anomaly',
  at,
  number: 1,
  anomaly: 'unknownCode',
  detail: 'Avery',
} satisfies LedgerFact;
const ended: LedgerFact = {
  kind: 'ended',
  at,
  firstRunId: 'run-1',
  paid: true,
  status: 'Completed',
  code: 'EFT0301',
  leftNothing: false,
};

const later = '2026-03-01T13:00:00.000Z';
const cancelledBeforeCreate: LedgerFact = {
  kind: 'state',
  at,
  number: 1,
  status: 'Cancelled',
  source: 'cancel',
};
const parked: LedgerFact = { kind: 'parked', at, number: 1, id: 'run-1-1', code: 'SERVICE_INTERRUPTED' };
const settled: LedgerFact = { kind: 'settled', at, amount: 25 };
const returned: LedgerFact = { kind: 'returned', at, amount: 25, code: '901' };

/** Makes these facts the facts of one claim. */
const ofClaim = (claim: number, ...facts: readonly LedgerFact[]): readonly ClaimFact[] =>
  facts.map((fact) => ({ claim, fact }));

describe('the number of webhooks that an entry of the ledger sends is', () => {
  const before = [claimed, opened, initiated];

  test.each<[string, readonly LedgerFact[], LedgerFact, readonly string[]]>([
    ['none for a claim', [], claimed, []],
    ['one for an opened session', [claimed], opened, ['session.opened']],
    [
      'none for the first state of a created session, after the webhook for its opening',
      [claimed, opened],
      initiated,
      [],
    ],
    ['one for a change of state', before, unsigned, ['session.state_changed']],
    [
      'two for a change to a paid state',
      [...before, unsigned],
      scheduled,
      ['session.state_changed', 'session.paid'],
    ],
    ['one for an end', [...before, scheduled], ended, ['session.ended']],
    [
      'two for a paid end, if no paid state was recorded before',
      before,
      ended,
      ['session.paid', 'session.ended'],
    ],
    ['one for an unpaid end', before, { ...ended, paid: false }, ['session.ended']],
    ['one for a decision', before, decided, ['session.decided']],
    ['one for a park', [claimed], parked, ['session.parked']],
    ['one for money that has arrived', [...before, ended], settled, ['payment.settled']],
    ['one for money that came back', [...before, ended, settled], returned, ['payment.returned']],
    ['none for an anomaly', before, anomaly, []],
    ['none for a park (a wait for a person) that is over', [claimed, { ...opened, at: later }], parked, []],
    ['none for a cancel before the create request, if a session exists', before, cancelledBeforeCreate, []],
    [
      'one for a first state that comes from a poll',
      [claimed, opened],
      { ...initiated, source: 'poll' },
      ['session.state_changed'],
    ],
    ['none for a session that is taken over', [claimed], { ...opened, how: 'takeOver' }, []],
    ['none for a settlement of money that has already come back', [...before, ended, returned], settled, []],
    [
      'one for a paid end, if the money has already come back',
      [...before, returned],
      ended,
      ['session.ended'],
    ],
    ['none for a second settlement', [...before, settled], { ...settled, amount: 26 }, []],
    [
      'none for an end that is earlier than the recorded end',
      [...before, ended],
      { ...ended, at: '2026-02-28T12:00:00.000Z', paid: false, status: 'Cancelled' },
      [],
    ],
  ])('%s', (_what, known, fact, kinds) => {
    expect(kindsOf(ofClaim(1, ...known), { claim: 1, fact })).toEqual(kinds);
  });
});

// Two workflows may have created sessions for one key. The ledger gives the key to one claim only.
describe('for a claim that does not have its key in the ledger', () => {
  const other = { ...claimed, firstRunId: 'run-2', fingerprint: 'other', isAside: true } as const;
  const ofOther = { ...opened, sessionId: 'id-2' };
  const before = [...ofClaim(1, claimed, opened), ...ofClaim(2, other)];

  test.each<[string, readonly LedgerFact[], LedgerFact, readonly string[]]>([
    ['no webhook is sent for its session', [], ofOther, []],
    ['no webhook is sent for a change of state', [ofOther], unsigned, []],
    [
      'no webhook is sent for an unpaid end',
      [ofOther],
      { ...ended, firstRunId: 'run-2', paid: false, status: 'Cancelled' },
      [],
    ],
    ['no webhook is sent for a payment if the claim has no session', [], scheduled, []],
    ['a webhook is sent for a payment of its session', [ofOther], scheduled, ['session.paid']],
    [
      'a webhook for the payment is sent after a paid end, but no webhook for the end',
      [ofOther],
      { ...ended, firstRunId: 'run-2' },
      ['session.paid'],
    ],
    ['a webhook is sent for a return', [ofOther, ended], returned, ['payment.returned']],
  ])('%s', (_what, known, fact, kinds) => {
    expect(kindsOf([...before, ...ofClaim(2, ...known)], { claim: 2, fact })).toEqual(kinds);
  });

  test('no webhook is sent for a cancel before the create request that is recorded late', () => {
    const cancelled = { ...ended, paid: false, status: 'Cancelled', leftNothing: true };
    const later = { ...claimed, firstRunId: 'run-2' };
    const entries = [...ofClaim(1, claimed), ...ofClaim(2, { ...later, takesOver: 1 }, opened)];
    expect(kindsOf(entries, { claim: 1, fact: cancelled })).toEqual([]);
  });

  test('webhooks contain the claim’s own session', () => {
    const entries = [...before, ...ofClaim(2, ofOther, scheduled)];
    const [event] = eventsOf({ key: 'order-1', environment: 'default', entries, isPersonal: false });
    expect(event?.data.state).toMatchObject({ sessionId: 'id-2', paid: true });
  });
});

test('if a claim takes over a session, webhooks report the session’s opening and payment only once', () => {
  const later = { ...claimed, firstRunId: 'run-2', takesOver: 1 };
  const entries = [
    ...ofClaim(1, claimed, opened, scheduled),
    ...ofClaim(2, later, { ...opened, how: 'takeOver' }, scheduled, { ...ended, firstRunId: 'run-2' }),
  ];
  const kinds = entries.flatMap((entry, index) => kindsOf(entries.slice(0, index), entry));
  expect(kinds).toEqual([
    ...['session.opened', 'session.state_changed', 'session.paid'],
    ...['session.state_changed', 'session.ended'],
  ]);
});

describe('the message of a webhook', () => {
  const common = { key: 'order-1', environment: 'default' };

  test('contains the state after the change, the direction, and the number of the entry', () => {
    const entries = ofClaim(1, claimed, opened, initiated, unsigned);
    expect(eventsOf({ ...common, entries, isPersonal: false })).toMatchObject([
      {
        type: 'session.state_changed',
        timestamp: at,
        data: {
          key: 'order-1',
          account: 'default',
          direction: 'DEBIT',
          number: 4,
          state: { phase: 'open', status: 'Completed', code: 'EFT0302', paid: false, amount: 25 },
        },
      },
    ]);
  });

  test.each<[string, readonly LedgerFact[]]>([
    ['session.opened', [opened]],
    ['session.parked', [parked]],
    ['session.decided', [decided]],
    ['session.state_changed', [opened, unsigned]],
    ['session.paid', [opened, ended]],
    ['session.ended', [opened, { ...ended, paid: false }]],
    ['payment.settled', [opened, settled]],
    ['payment.returned', [opened, returned]],
  ])('of the kind %s contains the direction', (type, facts) => {
    const entries = ofClaim(1, { ...claimed, direction: 'CREDIT' }, ...facts);
    const [event] = eventsOf({ ...common, entries, isPersonal: false });
    expect(event).toMatchObject({ type, data: { direction: 'CREDIT' } });
  });

  test('contains personal data only if an endpoint asks for it', () => {
    const { request: _personal, ...plain } = claimed;
    const { by: _by, reason: _reason, ...decision } = decided;
    const { detail: _detail, ...seen } = anomaly;
    const entries = ofClaim(1, plain, opened, seen, decision);
    const [event] = eventsOf({ ...common, entries, isPersonal: false });
    expect(event?.data).not.toHaveProperty('request');
    expect(event?.data.decision).toEqual({ decision: 'retry', result: 'applied', at });
    expect(event?.data.state.anomalies).toEqual([{ kind: 'unknownCode', at }]);

    const whole = ofClaim(1, claimed, opened, anomaly, decided);
    const [personal] = eventsOf({ ...common, entries: whole, isPersonal: true });
    expect(personal?.data).toMatchObject({
      request: eft(),
      decision: { by: 'ann', reason: 'seen' },
      state: { anomalies: [{ detail: 'Avery' }] },
    });
  });

  test('contains the searchable metadata, and all metadata if an endpoint asks for personal data', () => {
    const metadata = { customer: 'cus_42', note: 'call Avery' };
    const entries = ofClaim(1, { ...claimed, metadata, searchable: ['customer'] }, opened);
    const [event] = eventsOf({ ...common, entries, isPersonal: false });
    expect(event?.data.metadata).toEqual({ customer: 'cus_42' });
    const [personal] = eventsOf({ ...common, entries, isPersonal: true });
    expect(personal?.data.metadata).toEqual(metadata);
    const [erased] = eventsOf({
      ...common,
      entries: ofClaim(1, { ...claimed, searchable: ['customer'] }, opened),
      isPersonal: true,
    });
    expect(erased?.data).not.toHaveProperty('metadata');
  });

  test('has the phase parked until a person has decided or the session is opened', () => {
    const phaseAfter = (...facts: readonly LedgerFact[]) =>
      eventsOf({ ...common, entries: ofClaim(1, claimed, ...facts), isPersonal: false })[0]?.data.state.phase;
    const refused: LedgerFact = { ...decided, decision: 'adopt', result: 'SESSION_MISMATCH' };
    expect(phaseAfter(parked)).toBe('parked');
    expect(phaseAfter(parked, refused)).toBe('parked');
    expect(phaseAfter(parked, decided)).toBe('creating');
    expect(phaseAfter(parked, decided, { ...parked, number: 2, id: 'run-1-2' })).toBe('parked');
    expect(phaseAfter(parked, opened)).toBe('open');
  });

  test('about money contains the line of the reconciliation file, and the session’s state at its end', () => {
    const entries = ofClaim(1, claimed, opened, ended, settled, returned);
    const [event] = eventsOf({ ...common, entries, isPersonal: false });
    expect(event?.data).toMatchObject({
      payment: { amount: 25, at, returnCode: '901', advice: 'presentAgain' },
      state: { phase: 'ended', paid: true },
    });
  });

  test('does not exist for a fact of a key without a claim', () => {
    expect(eventsOf({ ...common, entries: ofClaim(1, opened), isPersonal: false })).toEqual([]);
  });
});

describe('the id of a webhook’s message', () => {
  /** Returns the ids of all messages that these entries send. The names are the kind and time of each message. */
  function idsOf(entries: readonly ClaimFact[], environment = 'default', key = 'order-1') {
    const all = entries.flatMap((entry, index) => {
      const about = { key, environment, entries: entries.slice(0, index + 1) };
      const kinds = kindsOf(entries.slice(0, index), entry);
      return kinds.map((kind) => [
        `${kind} ${entry.fact.at}`,
        messageId(about, toStored(entry.fact).id, kind),
      ]);
    });
    return Object.fromEntries(all) as Readonly<Record<string, string>>;
  }

  const on = (day: number) => `2026-03-0${day}T12:00:00.000Z`;
  const reset: LedgerFact = { ...ended, at: on(6), paid: false, status: 'Failed', code: 'EFT0401' };
  const whole = ofClaim(
    1,
    claimed,
    { ...parked, at: on(1) },
    { ...decided, at: on(1) },
    { ...opened, at: on(2) },
    { ...initiated, at: on(2) },
    { ...unsigned, at: on(3) },
    { ...scheduled, at: on(4) },
    { ...ended, at: on(5) },
    reset,
    { ...settled, at: on(7) },
    { ...returned, at: on(8) },
  );

  test('is different for each message, key and environment', () => {
    const ids = [idsOf(whole), idsOf(whole, 'staging'), idsOf(whole, 'default', 'order-2')].map((all) =>
      Object.values(all),
    );
    expect(ids.map((all) => all.length)).toEqual([10, 10, 10]);
    expect(new Set(ids.flat()).size).toBe(30);
    for (const id of ids.flat()) expect(id).toMatch(/^msg_[\w-]{27}$/);
  });

  test('about a payment depends only on the session, even if the claim that records it has lost the session to another claim', () => {
    const again = { ...claimed, firstRunId: 'run-2', takesOver: 1 } as const;
    const lost = [
      ...ofClaim(1, claimed, opened),
      ...ofClaim(2, again, { ...opened, how: 'takeOver' }),
      ...ofClaim(1, { ...ended, at: on(1) }),
    ];
    const paid = (entries: readonly ClaimFact[]) => idsOf(entries)[`session.paid ${on(1)}`];
    const own = paid(ofClaim(1, claimed, opened, { ...ended, at: on(1) }));
    expect(own).toBeDefined();
    expect(paid(lost)).toBe(own);
    const both = [...lost, ...ofClaim(2, { ...ended, firstRunId: 'run-2', at: on(2) })];
    expect(idsOf(both)[`session.paid ${on(2)}`]).toBe(own);
  });

  test('does not change if the ledger records lost facts again, in another order and with other numbers', () => {
    const [claim, park, decision, open, first, ...later] = whole.map(({ fact }) => fact) as [
      ...[LedgerFact, LedgerFact, LedgerFact, LedgerFact, LedgerFact],
      ...LedgerFact[],
    ];
    // After a restore of the ledger, a sweep records the ended session again, in this order. The numbers of the entries differ.
    const swept = [claim, open, park, decision, first, ...later];
    const before = ofClaim(
      1,
      { ...claimed, firstRunId: 'run-0' },
      { ...ended, at: on(1), leftNothing: true },
    );
    // A park then sends no message, because the wait for a person is over.
    const expected = Object.entries(idsOf(whole)).filter(([what]) => !what.startsWith('session.parked'));
    expect(idsOf(ofClaim(1, ...swept))).toEqual(Object.fromEntries(expected));
    expect(idsOf([...before, ...ofClaim(2, ...swept)])).toMatchObject(Object.fromEntries(expected));
  });

  test.each<WebhookKind>(['session.opened', 'session.paid'])(
    'of the kind %s depends only on the session, so that a receiver acts once',
    (kind) => {
      const idOf = (facts: readonly LedgerFact[]) =>
        Object.entries(idsOf(ofClaim(1, claimed, ...facts))).find(([what]) => what.startsWith(kind))?.[1];
      const id = idOf([opened, scheduled]);
      expect(
        idOf([
          { ...opened, how: 'adopt', at: on(2) },
          { ...ended, at: on(5) },
        ]),
      ).toBe(id);
      expect(idOf([{ ...opened, sessionId: 'id-2' }, scheduled])).not.toBe(id);
    },
  );

  test('is different for each workflow of a key', () => {
    const again = [
      ...ofClaim(1, claimed, { ...ended, at: on(2), paid: false, status: 'Cancelled', leftNothing: true }),
      ...ofClaim(
        2,
        { ...claimed, firstRunId: 'run-2' },
        {
          ...ended,
          at: on(3),
          firstRunId: 'run-2',
          paid: false,
          status: 'Cancelled',
          leftNothing: true,
        },
      ),
    ];
    expect(new Set(Object.values(idsOf(again))).size).toBe(2);
  });
});
