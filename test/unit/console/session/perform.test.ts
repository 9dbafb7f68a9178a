import { expect, jest, test } from '@jest/globals';
import { confirmPage, readActForm } from '../../../../console/session/acts/confirm-form';
import { perform, type ActOrder } from '../../../../console/session/acts/perform';
import { doneNotice } from '../../../../console/session/acts/results';
import { resultsPage } from '../../../../console/sessions/bulk-pages';
import type { Decision, SessionPhase } from '../../../../src/protocol/state/recorded';
import type { SessionState } from '../../../../src/protocol/state/session';
import { OPERATOR, plain, viewOf } from '../../../support/console/session-page';
import { eft } from '../../../support/requests';

// `perform` carries out an operator's act on the console, and returns the result. A session records the results of at most
// fifty decisions. If the record is full, `perform` concludes the result from the session's state.
type Places = Parameters<typeof perform>[0];

const [NAMED, OTHER] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];

/** Returns the result of adopting `sessionId` in a session whose record is full of refused adoptions of OTHER. */
async function adopt(sessionId: string, adopted?: string, phase: SessionPhase = 'parked') {
  const at = '2031-05-06T12:00:00.000Z';
  const refused: Decision = { decision: 'adopt', sessionId: OTHER, result: 'SESSION_MISMATCH', at };
  const decisions = Array.from({ length: 50 }, () => refused);
  const resolveCreate = () => Promise.resolve({ decisions, sessionId: adopted, phase });
  const places = { sessions: { get: () => ({ resolveCreate }) } } as unknown as Places;
  const order: ActOrder = { act: 'adopt', by: 'Robin', reason: 'same payor', requestId: 'once', sessionId };
  return perform(places, 'order-1', order);
}

test('handling a return concerns the claim that the page showed', async () => {
  const handleReturn = jest.fn<(key: string, handled: object) => Promise<boolean>>().mockResolvedValue(true);
  const places = { sessions: { get: () => ({}) }, ledger: { handleReturn } } as unknown as Places;
  const view = { ...viewOf(eft()), money: { claim: 2 } };
  const { text } = confirmPage({ act: 'handle', view }, OPERATOR);
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of text.matchAll(/name="(\w+)" value="(.*?)"/g))
    fields.set(name, value);
  const { once, ...form } = readActForm(fields);
  const order = { ...form, act: 'handle', by: 'Robin', reason: 'by card', requestId: once } as const;
  expect(await perform(places, 'order-1', order)).toBe('applied');
  expect(handleReturn).toHaveBeenCalledWith('order-1', { by: 'Robin', reason: 'by card', claim: 2 });
});

test('if the record is full, the result of an adoption is not the recorded result for another session id', async () => {
  expect(await adopt(NAMED, NAMED)).toBe('applied');
  expect(await adopt(NAMED)).toBe('INVALID_INPUT');
  expect(await adopt(OTHER)).toBe('SESSION_MISMATCH');
});

test('the result of an adoption is not an earlier refusal if the session has ended since', async () => {
  expect(await adopt(OTHER, undefined, 'ended')).toBe('INVALID_INPUT');
});

test.each([
  ['SESSION_MISMATCH', true],
  ['SESSION_FOLLOWED', true],
  ['SESSION_MAYBE_FOLLOWED', true],
  ['SERVICE_SESSION_UNKNOWN', true],
  ['INVALID_INPUT', false],
  ['WORKER_UNAVAILABLE', false],
] as const)(
  'after an adoption with the result %s, the page says that the session is still waiting: %s',
  (result, waits) => {
    const notice = (language: 'EN' | 'FR') => plain(doneNotice({ act: 'adopt', result }, language).text);
    expect(notice('EN').includes('Nothing was changed: the session is still waiting')).toBe(waits);
    expect(notice('FR').includes('Rien n’a changé : la session attend toujours')).toBe(waits);
  },
);

test('a cancel of a parked session is shown as recorded, not as failed, on the session’s page and in a list of results', () => {
  const cancelled = { act: 'cancel', result: 'CREATE_OUTCOME_UNKNOWN' } as const;
  const onPage = doneNotice(cancelled, 'EN').text;
  const inList = resultsPage([{ ...cancelled, key: 'order-1' }], OPERATOR).text;
  for (const text of [onPage, inList]) {
    expect(plain(text)).toContain('The cancellation is recorded. It takes effect once');
    expect(text).toContain('attention');
    expect(text).not.toMatch(/\bbad\b/);
  }
});

const AT = '2031-05-06T12:00:00.000Z';
const REFRESH = { decision: 'refresh', by: 'Robin', reason: 'the payor called', at: AT } as const;
const UNREACHABLE: SessionState['trouble'] = {
  code: 'SERVICE_UNREACHABLE',
  message: '',
  since: AT,
  failures: 1,
};

/** Returns the result of Robin's refresh, after which the session has this state. */
function refresh(state: Pick<SessionState, 'decisions'> & Partial<SessionState>) {
  const places = {
    sessions: { get: () => ({ refresh: () => Promise.resolve({ anomalies: [], ...state }) }) },
  };
  const { by, reason } = REFRESH;
  const order: ActOrder = { act: 'refresh', by, reason, requestId: 'once', sessionId: '' };
  return perform(places as unknown as Places, 'order-1', order);
}

test('the result of a refresh is the result that the session has recorded for this refresh', async () => {
  const other: Decision = { ...REFRESH, by: 'Vic', result: 'pending' };
  expect(await refresh({ decisions: [{ ...REFRESH, result: 'SERVICE_UNREACHABLE' }, other] })).toBe(
    'SERVICE_UNREACHABLE',
  );
  const before: Decision = { ...REFRESH, result: 'SERVICE_UNREACHABLE' };
  expect(await refresh({ decisions: [before, { ...REFRESH, result: 'applied' }] })).toBe('applied');
});

test('if the record is full, the result of a refresh is the session’s trouble, not the result of an earlier refresh', async () => {
  const decisions: readonly Decision[] = [{ ...REFRESH, result: 'applied' }];
  const anomalies = [{ kind: 'recordFull', detail: '', at: AT }] as const;
  expect(await refresh({ decisions, anomalies, trouble: UNREACHABLE })).toBe('SERVICE_UNREACHABLE');
  expect(await refresh({ decisions, anomalies })).toBe('applied');
});
