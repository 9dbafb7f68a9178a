import { PATHS } from '../../src/contract';
import type { ArmedFault } from '../calls/faults';
import { failing } from './failing';
import type { SandboxCall } from '../calls/calls';
import { SCENARIOS } from '../sessions/scenarios';
import type { SandboxSession } from '../sessions/session';
import { html, type Html } from '../../src/web/html';
import { formatMoney } from '../../src/web/language';
import type { PageMaker } from '../../src/web/send-page';
import { button, hidden } from '../../src/web/shell/forms';
import { disclosure, emptyState, dataTable } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import { overviewLayout, sessionLink, callsTable, fromAndTo, stateBadge } from './page-parts';
import { sessionSearch, type Search } from './search';

/** The maximum number of sessions and of calls on a page, and of mails on the outbox's page. */
export const SHOWN = 50;

export interface OverviewShown {
  readonly search: Search;
  /** The newest sessions that were found. */
  readonly sessions: readonly SandboxSession[];
  readonly found: number;
  /** The number of sessions that the sandbox holds. */
  readonly held: number;
  readonly calls: readonly SandboxCall[];
  /** The failures that have not happened yet. */
  readonly armed: readonly ArmedFault[];
  /** Token of the forms that delete everything and make calls fail; `undefined` if the reader may not send these forms. */
  readonly formToken: string | undefined;
}

/** Returns the page of the sandbox's sessions and calls. The page shows no payors and no tokens, and masks account numbers. */
export function overviewPage(shown: OverviewShown): PageMaker {
  const { search, sessions, found, held, calls, armed, formToken } = shown;
  return overviewLayout({
    title: 'Payment service sandbox',
    place: 'overview',
    content: html`${formToken !== undefined && failing(armed, formToken)}
      <h2>Sessions</h2>
      ${held > 0 && sessionSearch(search)}
      ${held > 0 && html`<p class="soft">${howMany(sessions.length, found, held)}</p>`}
      ${sessionsTable(sessions, held)}
      <h2>Calls</h2>
      ${callsTable(calls)}
      <h2>Scenarios</h2>
      <p>
        A session whose <code>referenceId</code> is one of these, alone or followed by a hyphen and anything,
        is played by the sandbox. Any other session is for a person to complete in the hosted flow.
      </p>
      ${dataTable(
        'Scenarios',
        ['referenceId', 'What happens'],
        SCENARIOS.map(({ id, summary }) => [html`<code>${id}</code>`, html`${summary}`]),
      )}
      ${formToken !== undefined && resetForm(formToken)}`,
  });
}

const howMany = (shown: number, found: number, held: number): string =>
  found === held ? `The newest ${shown} of ${held}.` : `${shown} of ${found} found, of ${held} in all.`;

function sessionsTable(sessions: readonly SandboxSession[], held: number): Html {
  if (held === 0) {
    return emptyState('None yet.', 'A session is shown here as soon as a merchant creates one.');
  }
  if (sessions.length === 0) {
    return emptyState('None found.', html`<p>No session matches. <a href="./">Show all</a></p>`);
  }
  return dataTable('Sessions', SESSION_COLUMNS, sessions.map(sessionRow));
}

const SESSION_COLUMNS = [
  'Created',
  'Session',
  'Reference',
  'Kind',
  'State',
  'Step',
  { text: 'Amount', numeric: true },
  'From',
  'To',
  'Checkout',
] as const;

function sessionRow(session: SandboxSession): readonly (Html | string)[] {
  const { sessionId, referenceId, kind, state } = session;
  const { step, amount, createdAtMs } = state;
  return [
    moment(new Date(createdAtMs).toISOString()),
    sessionLink(sessionId),
    referenceId ?? '–',
    kind,
    stateBadge(state),
    step,
    amount === null ? '–' : formatMoney(amount, 'EN'),
    ...fromAndTo(session),
    html`<a
      href=".${PATHS.hostedFlow(sessionId)}"
      aria-label="Open the checkout page of ${sessionId.slice(0, 8)}"
      >Open</a
    >`,
  ];
}

const resetForm = (formToken: string): Html =>
  html`<h2>Start over</h2>
    ${disclosure(
      'Reset the sandbox…',
      html`<form method="post" action="./reset">
        ${hidden('token', formToken)}
        <p>
          This deletes every session, mail and call, and every failure that has not happened yet. Tokens and
          the clock stay as they are. A client that still follows a session learns that it does not exist. You
          cannot undo this.
        </p>
        ${button('Delete everything', 'danger')}
      </form>`,
    )}`;
