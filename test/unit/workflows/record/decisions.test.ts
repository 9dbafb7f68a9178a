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
const requested = (decision: 'cancel' | 'refresh', by = 'avery'): Observation =>
  decided({ decision, by, result: 'pending' });
const results = ({ decisions }: { readonly decisions: readonly Decision[] }) =>
  decisions.map(({ decision, result }) => `${decision} ${result}`);
const times = (count: number, decision: Omit<Decision, 'at'>) =>
  Array.from({ length: count }, () => decided(decision));

describe('the decisions in a session’s record', () => {
  const decision = { decision: 'adopt', by: 'avery', sessionId: 'id', result: 'SESSION_MISMATCH' } as const;
  const reveal = { decision: 'reveal', by: 'avery', result: 'applied' } as const;

  test('have the name, the time and the result of each decision', () => {
    expect(after(decided(decision)).decisions).toEqual([{ ...decision, at: '2026-01-02T03:04:06.000Z' }]);
  });

  test('are at most 50, and one more is recorded as the anomaly recordFull', () => {
    const record = after(...times(60, decision));
    expect([record.decisions.length, anomalies(record)]).toEqual([50, ['recordFull']]);
  });

  test('still have room for a cancel after 50 reveals of personal data', () => {
    const record = after(created, ...times(60, reveal), cancel, requested('cancel'));
    expect([record.decisions.length, anomalies(record)]).toEqual([51, ['recordFull']]);
    expect(results(record).at(-1)).toBe('cancel pending');
  });

  test('increase the revision for callers when they are added, and again when they get a result', () => {
    const before = after(created);
    const pending = after(created, requested('refresh'));
    const served = after(created, requested('refresh'), { type: 'refreshed', count: 1, result: 'applied' });
    expect([pending.revision, served.revision]).toEqual([before.revision + 1, before.revision + 2]);
  });
});

describe('a recorded cancel with a person’s name', () => {
  test.each([
    ['Cancelled', 'EFT0501', 'cancelled'],
    ['Completed', 'EFT0301', 'lostToCompletion'],
    ['Completed', 'EFT0302', 'lostToCompletion'],
    ['Expired', 'EFT0601', 'lostToExpiry'],
  ])('is pending until the service reports %s/%s, and then has the result %s', (status, code, outcome) => {
    expect(results(after(created, cancel, requested('cancel')))).toEqual(['cancel pending']);
    expect(results(after(created, cancel, requested('cancel'), polled(status, code)))).toEqual([
      `cancel ${outcome}`,
    ]);
  });

  test('before the create request has the result neverCreated', () => {
    const record = after(cancel, requested('cancel'), { type: 'cancelledBeforeCreate' });
    expect(results(record)).toEqual(['cancel neverCreated']);
  });

  test('has the result of another person’s cancel that is recorded before it', () => {
    const record = after(created, cancel, requested('cancel', 'avery'), cancel, requested('cancel', 'robin'));
    expect(record.decisions.map(({ by }) => by)).toEqual(['avery', 'robin']);
    const settled = after(
      created,
      cancel,
      requested('cancel', 'avery'),
      requested('cancel', 'robin'),
      polled('Failed'),
    );
    expect(results(settled)).toEqual(['cancel lostToFailure', 'cancel lostToFailure']);
  });

  test('is recorded once if it is sent again while it is pending', () => {
    expect(results(after(created, cancel, requested('cancel'), cancel, requested('cancel')))).toEqual([
      'cancel pending',
    ]);
  });

  test('has the code of the workflow’s failure as the result if the workflow fails', () => {
    const record = after({ type: 'createParked', run: 'run' }, cancel, requested('cancel'));
    const state = stateOf({ key: 'order-1', request: eft() }, record, {
      code: 'CREATE_ABANDONED',
      message: 'given up',
    });
    expect(results(state)).toEqual(['cancel CREATE_ABANDONED']);
  });
});

describe('the id of a recorded decision about a parked create', () => {
  const resolved = (updateId: string, run = 'run'): Observation => ({
    type: 'createResolved',
    decision: { decision: 'adopt', result: 'SESSION_MISMATCH' },
    run,
    updateId,
  });
  const idsAfter = (...observations: Observation[]) => after(...observations).decisions.map(({ id }) => id);

  test('depends on the run, on its place among such decisions, and on the id of the update', () => {
    const [first, second] = idsAfter(resolved('one'), resolved('two'));
    expect([first, second]).toEqual(['run-1-ba2719ef', 'run-2-be248829']);
    expect(idsAfter(resolved('one', 'reset'))).toEqual([first?.replace('run', 'reset')]);
    expect(idsAfter(resolved('two'))).not.toEqual([first]);
  });

  test('does not depend on decisions of other kinds, which have no ids', () => {
    const others = [cancel, requested('cancel'), requested('refresh')];
    expect(idsAfter(...others, resolved('one'))).toEqual([
      undefined,
      undefined,
      ...idsAfter(resolved('one')),
    ]);
  });

  test('does not contain the update’s id, which the caller chose', () => {
    expect(idsAfter(resolved('Ann’s retry'))).toEqual([expect.stringMatching(/^run-1-[0-9a-f]{8}$/)]);
  });
});

// A session is parked while it waits for a person's decision about a lost create request. The record has each such wait, or park.
describe('the parks in a session’s record', () => {
  const failed: Observation = {
    type: 'callFailed',
    failure: { code: 'SERVICE_INTERRUPTED', message: 'lost' },
  };
  const parked = [failed, { type: 'createParked', run: 'run' }] as const;

  test('each have their time, the code of the failure, and an id', () => {
    const at = (second: number) => new Date(START + second * 1_000).toISOString();
    const record = after(...parked, { type: 'createUnparked' }, ...parked);
    const park = (second: number, id: string) => ({ at: at(second), code: 'SERVICE_INTERRUPTED', id });
    expect(record.parks).toEqual([park(2, 'run-1'), park(5, 'run-2')]);
  });

  test('have the session id that the answer to the create request contains', () => {
    const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
    const { parks } = after(failed, { type: 'createParked', run: 'run', sessionId });
    expect(parks).toMatchObject([{ code: 'SERVICE_INTERRUPTED', sessionId }]);
  });

  test('are at most 51', () => {
    const many = Array.from({ length: 60 }, () => parked).flat();
    expect(after(...many).parks).toHaveLength(51);
  });
});

describe('a recorded refresh with a person’s name', () => {
  const refreshed = (count: number, result: 'applied' | 'SERVICE_FAILED' = 'applied'): Observation => ({
    type: 'refreshed',
    count,
    result,
  });

  test('has the result of the poll that answers the refresh', () => {
    expect(results(after(created, requested('refresh'), refreshed(1)))).toEqual(['refresh applied']);
    expect(results(after(created, requested('refresh'), refreshed(1, 'SERVICE_FAILED')))).toEqual([
      'refresh SERVICE_FAILED',
    ]);
  });

  test('is still pending after a poll that began before the refresh', () => {
    const record = after(created, requested('refresh', 'avery'), requested('refresh', 'robin'), refreshed(1));
    expect(results(record)).toEqual(['refresh applied', 'refresh pending']);
  });

  test('has the result “applied” once the session has ended', () => {
    expect(results(after(created, requested('refresh'), polled('Completed', 'EFT0301')))).toEqual([
      'refresh applied',
    ]);
  });

  test('has the result CREATE_OUTCOME_UNKNOWN once the session is parked', () => {
    expect(results(after(requested('refresh'), { type: 'createParked', run: 'run' }))).toEqual([
      'refresh CREATE_OUTCOME_UNKNOWN',
    ]);
  });
});

describe('an adopted session with another amount than the request', () => {
  const differences = (request: SessionRequest) =>
    differencesOf(asking(request, { amountModification: true }), { amount: 31 });

  test('is the payment of the request if the payor may change the amount', () => {
    expect(differences(eft())).toEqual([]);
  });

  test('is another payment if it is guaranteed, because a guaranteed amount cannot change', () => {
    expect(differences(geft())).toEqual(['amount']);
  });
});
