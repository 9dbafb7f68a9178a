import { afterEach, expect, jest, test } from '@jest/globals';
import { printState, type AboutSession } from '../../../cli/shared/session-state';
import type { SessionState } from '../../../src/protocol/state/session';

// A76 is a rule of the contract (docs/contract.md).

const NAMED = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const PARKED: SessionState = {
  phase: 'parked',
  key: 'order-1',
  kind: 'EFT',
  referenceId: 'ORDER-1',
  paid: false,
  anomalies: [],
  decisions: [],
  parks: [{ at: '2031-05-06T12:00:01.000Z', code: 'SERVICE_WRONG_SESSION', id: 'run-1', sessionId: NAMED }],
};

afterEach(() => {
  jest.restoreAllMocks();
});

function printed(state: SessionState, about: AboutSession = {}): string {
  let text = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  printState(state, about);
  return text;
}

test('the printed state of a parked session shows the session id from the answer to the create request, and the command that compares it', () => {
  const text = printed(PARKED);
  expect(text).toMatch(
    new RegExp(`^named +${NAMED}: the answer to the create request names this session$`, 'm'),
  );
  expect(text).toContain(`\`paysession resolve --session-id ${NAMED} --look order-1\` compares that session`);
});

test('the printed command that compares a session has its options before `--`, and the quoted key after it', () => {
  expect(printed({ ...PARKED, key: 'a key' })).toContain(
    `\`paysession resolve --session-id ${NAMED} --look -- 'a key'\` compares that session`,
  );
});

test('the printed state of an open session does not show the session id from the answer to an earlier create request', () => {
  expect(printed({ ...PARKED, phase: 'open' })).not.toContain(NAMED);
});

test.each([
  ['901', 'DEBIT', '901: Not sufficient funds', 'Do not deliver yet. Collect the amount once more'],
  ['NSF', 'DEBIT', 'NSF: Not sufficient funds', 'Do not deliver yet. Collect the amount once more'],
  ['DISPUTED', 'DEBIT', 'DISPUTED: Disputed by the payor', 'Stop at once: do not deliver'],
  ['912', 'CREDIT', '912: Invalid or incorrect', 'The payor did not get the money. Ask them'],
  ['Z-9', 'DEBIT', 'Z-9\n', 'The money came back: do not deliver.'],
  ['Z-9', 'CREDIT', 'Z-9\n', 'The money came back: the payor does not have it.'],
] as const)(
  'A76 the printed state of a payment that came back with code %s (%s) says why, and what to do',
  (returnCode, direction, why, todo) => {
    const { parks: _parks, ...state } = PARKED;
    const ended = { ...state, phase: 'ended', status: 'Completed', code: 'EFT0301', paid: true } as const;
    const text = printed(ended, { returnedAt: '2031-06-01T00:00:00.000Z', returnCode, direction });
    expect(text).toContain(`returned    2031-06-01 ${why}`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`next ${todo}`);
  },
);

test('the printed state says which webhooks an endpoint has not received, and when they are tried again', () => {
  const { parks: _parks, ...state } = PARKED;
  const delivery = { id: 'msg_1', type: 'session.opened', key: 'order-1', number: 2, attempts: 1 } as const;
  const text = printed(
    { ...state, phase: 'open' },
    {
      webhooks: {
        hasMore: true,
        deliveries: [
          { ...delivery, endpoint: 'books', state: 'delivered', answers: [] },
          { ...delivery, endpoint: 'shop', state: 'delivered', answers: [] },
          {
            ...delivery,
            type: 'session.paid',
            endpoint: 'shop',
            state: 'refused',
            answers: [{ at: '2031-05-06T12:00:00.000Z', outcome: 'HTTP 503' }],
            nextTryAt: '2031-05-06T12:00:05.000Z',
          },
        ],
        waiting: [
          { endpoint: 'books', key: 'order-1', from: 4, to: 5 },
          { endpoint: 'shop', key: 'order-1', from: 4, to: 5, nextTryAt: '2031-05-06T12:00:05.000Z' },
        ],
      },
    },
  );
  expect(text).toContain('webhook     2 delivered to books, shop\n');
  expect(text).toContain(
    'webhook     session.paid refused by shop: HTTP 503, next try 2031-05-06T12:00:05.000Z\n',
  );
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'webhook waiting for books: the endpoint gets no webhooks any more. Fix it, then run `paysession webhooks replay --endpoint books`',
  );
  expect(text).toContain('webhook     Older deliveries are left out.\n');
  expect(text).not.toContain('waiting for shop');
});
