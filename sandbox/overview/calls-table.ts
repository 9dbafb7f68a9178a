import { html, type Html } from '../../web/html';
import { badge, emptyState, type Tone, dataTable } from '../../web/shell/parts';
import { moment } from '../../web/shell/time';
import type { SandboxCall } from '../observing/calls';
import { shortId } from './page-layout';

/** Calls, as they are given; those `of-one` session do not name it each time. */
export function callsTable(calls: readonly SandboxCall[], sessions: 'of-all' | 'of-one' = 'of-all'): Html {
  const namesSession = sessions === 'of-all';
  if (calls.length === 0) return emptyState('None yet.', 'A call is shown here as soon as it arrives.');
  return dataTable(
    'Calls',
    ['At', 'Method', 'Route', 'Answer', ...(namesSession ? ['Session'] : [])],
    calls.map(({ at, method, route, status, sessionId }) => [
      moment(at),
      method,
      route,
      status === undefined ? badge('not answered', 'attention') : badge(String(status), toneOf(status)),
      ...(namesSession ? [sessionLink(sessionId)] : []),
    ]),
  );
}

const sessionLink = (sessionId: string | undefined): Html | string =>
  sessionId === undefined ? '–' : html`<a href="./sessions/${sessionId}">${shortId(sessionId)}</a>`;

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'attention';
  return status >= 300 ? 'quiet' : 'good';
}
