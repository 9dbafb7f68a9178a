import { PATHS } from '../../src/contract';
import type { SandboxCall } from '../observing/calls';
import { SCENARIOS } from '../sessions/scenarios';
import { maskedNumber, type SandboxSession } from '../sessions/session';
import { html, type Html } from '../../web/html';
import { formatMoney } from '../../web/language';
import type { PageMaker } from '../../web/send-page';
import { moment, overviewLayout, shortId, table } from './page-layout';

/** The most sessions, and the most calls, that the page shows. */
export const SHOWN = 50;

/** What the sandbox did: no payor, no token, and account numbers masked. */
export function overviewPage(shown: {
  readonly sessions: readonly SandboxSession[];
  readonly calls: readonly SandboxCall[];
}): PageMaker {
  return overviewLayout(
    'Payment service sandbox',
    html`<h2>Sessions</h2>
      ${table('Sessions', SESSION_COLUMNS, shown.sessions.map(sessionRow))}
      <h2>Calls</h2>
      ${table('Calls', ['At (UTC)', 'Method', 'Route', 'Status', 'Session'], shown.calls.map(callRow))}
      <h2>Scenarios</h2>
      <p>
        A session whose <code>referenceId</code> is one of these, alone or followed by a hyphen and anything,
        is played by the sandbox. Any other session is for a person to complete in the hosted flow.
      </p>
      ${table(
        'Scenarios',
        ['referenceId', 'What happens'],
        SCENARIOS.map(({ id, summary }) => [html`<code>${id}</code>`, html`${summary}`]),
      )}`,
  );
}

const SESSION_COLUMNS = [
  'Created (UTC)',
  'Session',
  'Reference',
  'Kind',
  'State',
  'Step',
  'Amount',
  'From',
  'To',
];

function sessionRow({ sessionId, referenceId, kind, state, destination }: SandboxSession): readonly Html[] {
  const { status, code, step, amount, account, createdAtMs } = state;
  return [
    moment(new Date(createdAtMs).toISOString()),
    html`<a href=".${PATHS.hostedFlow(sessionId)}">${shortId(sessionId)}</a>`,
    html`${referenceId ?? '–'}`,
    html`${kind}`,
    html`${code === undefined ? status : `${status} ${code}`}`,
    html`${step}`,
    html`${amount === null ? '–' : formatMoney(amount, 'EN')}`,
    html`${account === undefined ? '–' : maskedNumber(account)}`,
    html`${destination === null ? '–' : maskedNumber(destination)}`,
  ];
}

const callRow = ({ at, method, route, status, sessionId }: SandboxCall): readonly Html[] => [
  moment(at),
  html`${method}`,
  html`${route}`,
  html`${status ?? 'not answered'}`,
  sessionId === undefined ? html`–` : shortId(sessionId),
];
