import { describe, expect, test } from '@jest/globals';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { paymentFor } from '../../../../console/session/checkout';
import type { Reader } from '../../../../console/access/reader';
import type { LedgerSession } from '../../../../ledger';
import type { SessionState } from '../../../../src/protocol/state/session';
import { eTransfer } from '../../../support/requests';
import { OPERATOR, PAGE_OPTIONS, plain, VIEWER, viewOf } from '../../../support/console/session-page';

// The page shows four session ids: the session's own, one from the answer to the create request (NAMED), one that an
// operator wanted to adopt, and one of a possible orphan.
const ID = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const NAMED = '9B1c0d52-1df4-4b7e-8f5e-0123456789ab';
const ADOPTED = 'c4f5a1de-7c0a-4b4e-9d77-fedcba987654';
const ORPHAN = '77777777-7c0a-4b4e-9d77-fedcba987654';
const URL_OF_PAYOR = `https://pay.example/app/?sessionId=${ID}`;
const AT = '2031-05-06T12:00:01.000Z';

const STATE: Partial<SessionState> = {
  phase: 'parked',
  sessionId: ID,
  checkoutUrl: URL_OF_PAYOR,
  parks: [{ at: AT, code: 'SERVICE_WRONG_SESSION', id: 'run-1', sessionId: NAMED }],
  decisions: [{ decision: 'adopt', sessionId: ADOPTED, result: 'SERVICE_SESSION_UNKNOWN', at: AT }],
  anomalies: [
    { kind: 'possibleOrphan', detail: `create 1: SERVICE_TIMEOUT, session ${ORPHAN.toUpperCase()}`, at: AT },
  ],
};
const OPTIONS = { ...PAGE_OPTIONS, portalUrl: 'https://portal.example/sessions/{sessionId}' };

const pageFor = (reader: Reader) => sessionFragment(viewOf(eTransfer(), STATE), reader, OPTIONS).text;

describe('the page of a session', () => {
  test.each(['EN', 'FR'] as const)(
    'in %s shows a viewer no checkout URL, and only the start of each session id',
    (language) => {
      const page = pageFor({ ...VIEWER, language });
      for (const id of [ID, NAMED, ADOPTED, ORPHAN]) {
        expect(page.toLowerCase()).not.toContain(id.toLowerCase());
        expect(page.toLowerCase()).toContain(`${id.slice(0, 8).toLowerCase()}…`);
      }
      expect(page).not.toMatch(/pay\.example|portal\.example/);
    },
  );

  test('shows an operator the checkout URL and all session ids', () => {
    const page = pageFor(OPERATOR);
    for (const id of [ID, NAMED, ADOPTED, ORPHAN.toUpperCase()]) expect(page).toContain(id);
    expect(page).toContain(`href="https://portal.example/sessions/${ID}"`);
    expect(plain(page)).toContain(URL_OF_PAYOR);
  });

  test('shows a viewer a link to the portal if the portal’s address has no session id', () => {
    const options = { ...PAGE_OPTIONS, portalUrl: 'https://portal.example/{key}' };
    expect(sessionFragment(viewOf(eTransfer(), STATE), VIEWER, options).text).toContain(
      'href="https://portal.example/order-1"',
    );
  });
});

test('a viewer exports payments without their session ids', () => {
  const payment = { key: 'order-1', sessionId: ID } as LedgerSession;
  expect(paymentFor(VIEWER.operator, payment)).toEqual({ key: 'order-1' });
  expect(paymentFor(OPERATOR.operator, payment)).toEqual(payment);
});
