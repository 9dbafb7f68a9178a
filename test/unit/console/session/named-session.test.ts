import { expect, test } from '@jest/globals';
import { adoptPage } from '../../../../console/session/acts/adopt-pages';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { eTransfer } from '../../../support/requests';
import { OPERATOR, PAGE_OPTIONS, plain, viewOf } from '../../../support/console/session-page';

// The answer to a create request named a session that is not the payment of the request. So the session is parked: it waits
// for an operator, who can adopt the named session.
const NAMED = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const PARK = { at: '2031-05-06T12:00:01.000Z', code: 'SERVICE_WRONG_SESSION', id: 'run-1' } as const;
const parked = (named: { readonly sessionId?: string }) =>
  viewOf(eTransfer(), { phase: 'parked', parks: [{ ...PARK, ...named }] });

test('the page of a parked session shows the session id in the answer to the create request, and the form for adopting has that id', () => {
  const view = parked({ sessionId: NAMED });
  const page = plain(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text);
  expect(page).toContain(`Session id in the answer to the create request ${NAMED}`);
  expect(adoptPage({ act: 'adopt', view }, OPERATOR).text).toContain(`value="${NAMED}"`);
});

test('the page of a parked session shows no id from an answer if the answer to the create request had no id', () => {
  const view = parked({});
  const page = plain(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text);
  expect(page).not.toContain('Session id in the answer');
  expect(adoptPage({ act: 'adopt', view }, OPERATOR).text).toContain('value=""');
});

test('the page of an open session does not show the session id in the answer to an earlier create request', () => {
  const view = viewOf(eTransfer(), { phase: 'open', parks: [{ ...PARK, sessionId: NAMED }] });
  expect(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text).not.toContain('Session id in the answer');
});
