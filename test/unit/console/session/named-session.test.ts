import { expect, test } from '@jest/globals';
import { adoptPage } from '../../../../console/session/acts/adopt-pages';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { eTransfer } from '../../../support/requests';
import { OPERATOR, PAGE_OPTIONS, plain, viewOf } from '../../../support/console/session-page';

const NAMED = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const PARK = { at: '2031-05-06T12:00:01.000Z', code: 'SERVICE_WRONG_SESSION', id: 'run-1' } as const;
const parked = (named: { readonly sessionId?: string }) =>
  viewOf(eTransfer(), { phase: 'parked', parks: [{ ...PARK, ...named }] });

test('a session’s page shows the id that the answer to its create request names, and adopting fills it in', () => {
  const view = parked({ sessionId: NAMED });
  const page = plain(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text);
  expect(page).toContain(`Session id in the answer to the create request ${NAMED}`);
  expect(adoptPage({ act: 'adopt', view }, OPERATOR).text).toContain(`value="${NAMED}"`);
});

test('a session’s page shows no such id if the answer named none', () => {
  const view = parked({});
  const page = plain(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text);
  expect(page).not.toContain('Session id in the answer');
  expect(adoptPage({ act: 'adopt', view }, OPERATOR).text).toContain('value=""');
});

test('the page of an open session no longer shows the id that an answer named', () => {
  const view = viewOf(eTransfer(), { phase: 'open', parks: [{ ...PARK, sessionId: NAMED }] });
  expect(sessionFragment(view, OPERATOR, PAGE_OPTIONS).text).not.toContain('Session id in the answer');
});
