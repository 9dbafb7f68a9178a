import { describe, expect, test } from '@jest/globals';
import type { Decision, SessionRequest } from '../../../../src';
import { differencesOf } from '../../../../workflows/create/named-session';
import { type Observation, stateOf } from '../../../../workflows/record/session-record';
import { asking, eft, geft } from '../../../support/requests';
import {
  after,
  anomalies,
  cancel,
  created,
  polled,
  START,
} from '../../../support/workflows/record/observations';

const decided = (decision: Omit<Decision, 'at'>): Observation => ({ type: 'decided', decision });
const asked = (decision: 'cancel' | 'refresh', by = 'avery'): Observation =>
  decided({ decision, by, result: 'pending' });
const results = ({ decisions }: { readonly decisions: readonly Decision[] }) =>
  decisions.map(({ decision, result }) => `${decision} ${result}`);
const times = (count: number, decision: Omit<Decision, 'at'>) =>
  Array.from({ length: count }, () => decided(decision));

describe('decisions', () => {
  const decision = { decision: 'adopt', by: 'avery', sessionId: 'id', result: 'SESSION_MISMATCH' } as const;
  const reveal = { decision: 'reveal', by: 'avery', result: 'applied' } as const;

  test('are kept with who made them, when and with which result', () => {
    expect(after(decided(decision)).decisions).toEqual([{ ...decision, at: '2026-01-02T03:04:06.000Z' }]);
  });

  test('are bounded', () => {
    const record = after(...times(60, decision));
    expect([record.decisions.length, anomalies(record)]).toEqual([50, ['recordFull']]);
  });

  test('that only preview leave room for those that act', () => {
    const record = after(created, ...times(60, reveal), cancel, asked('cancel'));
    expect([record.decisions.length, anomalies(record)]).toEqual([51, ['recordFull']]);
    expect(results(record).at(-1)).toBe('cancel pending');
  });

  test('are a change that callers see, and so is their result', () => {
    const before = after(created);
    const pending = after(created, asked('refresh'));
    const served = after(created, asked('refresh'), { type: 'refreshed', count: 1, result: 'applied' });
    expect([pending.revision, served.revision]).toEqual([before.revision + 1, before.revision + 2]);
  });
});

describe('a signed cancel', () => {
  test.each([
    ['Cancelled', 'EFT0501', 'cancelled'],
    ['Completed', 'EFT0301', 'lostToCompletion'],
    ['Completed', 'EFT0302', 'lostToCompletion'],
    ['Expired', 'EFT0601', 'lostToExpiry'],
  ])('is pending until %s/%s settles it: %s', (status, code, outcome) => {
    expect(results(after(created, cancel, asked('cancel')))).toEqual(['cancel pending']);
    expect(results(after(created, cancel, asked('cancel'), polled(status, code)))).toEqual([
      `cancel ${outcome}`,
    ]);
  });

  test('before the create never was one', () => {
    const record = after(cancel, asked('cancel'), { type: 'cancelledBeforeCreate' });
    expect(results(record)).toEqual(['cancel neverCreated']);
  });

  test('next to another cancel is recorded too, with the same outcome', () => {
    const record = after(created, cancel, asked('cancel', 'avery'), cancel, asked('cancel', 'robin'));
    expect(record.decisions.map(({ by }) => by)).toEqual(['avery', 'robin']);
    const settled = after(
      created,
      cancel,
      asked('cancel', 'avery'),
      asked('cancel', 'robin'),
      polled('Failed'),
    );
    expect(results(settled)).toEqual(['cancel lostToFailure', 'cancel lostToFailure']);
  });

  test('and is sent again while it is pending is one', () => {
    expect(results(after(created, cancel, asked('cancel'), cancel, asked('cancel')))).toEqual([
      'cancel pending',
    ]);
  });

  test('fails with the workflow', () => {
    const record = after({ type: 'createParked', run: 'run' }, cancel, asked('cancel'));
    const state = stateOf({ key: 'order-1', request: eft() }, record, {
      code: 'CREATE_ABANDONED',
      message: 'given up',
    });
    expect(results(state)).toEqual(['cancel CREATE_ABANDONED']);
  });
});

describe('a decision about a parked create', () => {
  const resolved = (updateId: string, run = 'run'): Observation => ({
    type: 'createResolved',
    decision: { decision: 'adopt', result: 'SESSION_MISMATCH' },
    run,
    updateId,
  });
  const idsAfter = (...observations: Observation[]) => after(...observations).decisions.map(({ id }) => id);

  test('has an id, by its run, its place among them and the update that gave it', () => {
    const [first, second] = idsAfter(resolved('one'), resolved('two'));
    expect([first, second]).toEqual(['run-1-ba2719ef', 'run-2-be248829']);
    expect(idsAfter(resolved('one', 'reset'))).toEqual([first?.replace('run', 'reset')]);
    expect(idsAfter(resolved('two'))).not.toEqual([first]);
  });

  test('keeps it where others come before, which have none', () => {
    const others = [cancel, asked('cancel'), asked('refresh')];
    expect(idsAfter(...others, resolved('one'))).toEqual([
      undefined,
      undefined,
      ...idsAfter(resolved('one')),
    ]);
  });

  test('shows nothing of the caller’s own id', () => {
    expect(idsAfter(resolved('Ann’s retry'))).toEqual([expect.stringMatching(/^run-1-[0-9a-f]{8}$/)]);
  });
});

describe('a park', () => {
  const failed: Observation = {
    type: 'callFailed',
    failure: { code: 'SERVICE_INTERRUPTED', message: 'lost' },
  };
  const parked = [failed, { type: 'createParked', run: 'run' }] as const;

  test('is kept, with when and why and an id of its own, and so is the next one', () => {
    const at = (second: number) => new Date(START + second * 1_000).toISOString();
    const record = after(...parked, { type: 'createUnparked' }, ...parked);
    const kept = (second: number, id: string) => ({ at: at(second), code: 'SERVICE_INTERRUPTED', id });
    expect(record.parks).toEqual([kept(2, 'run-1'), kept(5, 'run-2')]);
  });

  test('keeps the session that the answer to the create request names', () => {
    const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
    const { parks } = after(failed, { type: 'createParked', run: 'run', sessionId });
    expect(parks).toMatchObject([{ code: 'SERVICE_INTERRUPTED', sessionId }]);
  });

  test('is kept only so many times', () => {
    const many = Array.from({ length: 60 }, () => parked).flat();
    expect(after(...many).parks).toHaveLength(51);
  });
});

describe('a signed refresh', () => {
  const refreshed = (count: number, result: 'applied' | 'SERVICE_FAILED' = 'applied'): Observation => ({
    type: 'refreshed',
    count,
    result,
  });

  test('has the result of the poll that served it', () => {
    expect(results(after(created, asked('refresh'), refreshed(1)))).toEqual(['refresh applied']);
    expect(results(after(created, asked('refresh'), refreshed(1, 'SERVICE_FAILED')))).toEqual([
      'refresh SERVICE_FAILED',
    ]);
  });

  test('is not served by a poll that had begun before', () => {
    const record = after(created, asked('refresh', 'avery'), asked('refresh', 'robin'), refreshed(1));
    expect(results(record)).toEqual(['refresh applied', 'refresh pending']);
  });

  test('is served by the end of the session', () => {
    expect(results(after(created, asked('refresh'), polled('Completed', 'EFT0301')))).toEqual([
      'refresh applied',
    ]);
  });

  test('has nothing to poll once the create is parked', () => {
    expect(results(after(asked('refresh'), { type: 'createParked', run: 'run' }))).toEqual([
      'refresh CREATE_OUTCOME_UNKNOWN',
    ]);
  });
});

describe('an adopted session over another amount than the requested one', () => {
  const differences = (request: SessionRequest) =>
    differencesOf(asking(request, { amountModification: true }), { amount: 31 });

  test('is no other payment if the payor may change the amount', () => {
    expect(differences(eft())).toEqual([]);
  });

  test('is another payment if it is guaranteed: its amount never changes', () => {
    expect(differences(geft())).toEqual(['amount']);
  });
});
