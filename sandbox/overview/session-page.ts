import { PATHS } from '../../src/contract';
import { html, type Html } from '../../src/web/html';
import { formatMoney } from '../../src/web/language';
import type { PageMaker } from '../../src/web/send-page';
import { button, buttonLink, hidden } from '../../src/web/shell/forms';
import { emptyState, facts, notice, dataTable } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import type { SandboxCall } from '../calls/calls';
import type { SandboxSession } from '../sessions/session';
import { isOver } from '../sessions/transitions';
import { overviewLayout, shortId, callsTable, fromAndTo, MAIL_BADGES, stateBadge } from './page-parts';
import type { choicesOf } from '../sessions/playing';
import type { SandboxMail } from '../sessions/mails';

const ROOT = '../';

export interface SessionShown {
  readonly session: SandboxSession;
  readonly merchant: string;
  /** The newest first. */
  readonly calls: readonly SandboxCall[];
  /** The newest first. */
  readonly mails: readonly SandboxMail[];
  readonly choices: ReturnType<typeof choicesOf>;
  /** Token of the form that plays the payor; `undefined` if the reader may not send it. */
  readonly formToken: string | undefined;
  /** True if the session refused the choice that the reader sent. */
  readonly tooLate?: boolean;
}

/** Returns the page of a session. The page shows no payor and no token, and masks account numbers. */
export function sessionPage(shown: SessionShown): PageMaker {
  const { session, calls, mails, formToken, tooLate = false } = shown;
  const { sessionId, state } = session;
  return overviewLayout({
    title: `Session ${sessionId.slice(0, 8)}`,
    heading: html`Session ${shortId(sessionId)} ${stateBadge(state)}`,
    root: ROOT,
    content: html`${tooLate && notice('attention', 'Nothing has changed', 'The session had already changed.')}
      <div class="columns">
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">What it is</h2>
          ${factsOf(shown)}
          ${!isOver(state) && html`<p>${buttonLink('Open the checkout page', `..${PATHS.hostedFlow(sessionId)}`)}</p>`}
        </section>
        ${formToken !== undefined && playing(shown, formToken)}
      </div>
      <h2>Calls</h2>
      ${callsTable(calls, 'of-one')}
      <h2>Mails</h2>
      ${mailsTable(sessionId, mails)}`,
  });
}

function factsOf({ session, merchant }: SessionShown): Html {
  const { sessionId, referenceId, kind, direction, state, scenario, plan, options } = session;
  const { step, amount, createdAtMs, touchedAtMs, endedAtMs } = state;
  const at = (ms: number) => moment(new Date(ms).toISOString());
  const [next] = plan;
  const [from, to] = fromAndTo(session);
  const known: readonly (readonly [string, Html | string | undefined])[] = [
    ['Session', html`<code>${sessionId}</code>`],
    ['Reference', referenceId ?? '–'],
    ['Merchant', merchant],
    ['Kind', `${kind}, ${direction === 'DEBIT' ? 'the payor pays' : 'the payor is paid'}`],
    ['Step', step],
    ['Amount', amount === null ? 'not entered yet' : formatMoney(amount, 'EN')],
    ['From', from],
    ['To', to],
    ['Language', options.notificationPreferences.language],
    ['Control goes back by', options.redirectPreferences.mode],
    ['Scenario', scenario === null ? undefined : html`<code>${scenario}</code>`],
    ['Comes next', next && html`${next.event.type}, ${at(next.atMs)}`],
    ['Created', at(createdAtMs)],
    ['Last active', at(touchedAtMs)],
    ['Ended', endedAtMs === undefined ? undefined : at(endedAtMs)],
  ];
  return facts(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/** Returns the choices as buttons of one form. */
function playing({ session, choices }: SessionShown, formToken: string): Html {
  return html`<section class="card" aria-labelledby="playing">
    <h2 id="playing">Play the payor</h2>
    ${
      choices.length === 0
        ? html`<p>The session is over: it cannot change any more.</p>`
        : html`<p>It happens at once, as if the payor, the merchant or time had done it.</p>
            <form method="post" action="./${session.sessionId}">
              ${hidden('token', formToken)}
              <div class="row">
                ${choices.map(({ choice, text }) => button(text, 'second', { name: 'choice', value: choice }))}
              </div>
            </form>`
    }
  </section>`;
}

/** Returns a table of the mails' subjects. The outbox has their recipients and texts. */
function mailsTable(sessionId: string, mails: readonly SandboxMail[]): Html {
  if (mails.length === 0) return emptyState('None yet.', 'The mails to the payor appear here.');
  return html`${dataTable(
      'Mails',
      ['At', 'Kind', 'Subject'],
      mails.map(({ at, kind, subject, language }) => [
        moment(at),
        MAIL_BADGES[kind],
        html`<span lang="${language.toLowerCase()}">${subject}</span>`,
      ]),
    )}
    <p><a href="${ROOT}outbox?q=${encodeURIComponent(sessionId)}">Read them in the outbox</a></p>`;
}

/** Returns the page of an unknown session. */
export const noSessionPage = (): PageMaker =>
  overviewLayout({
    title: 'No such session',
    root: ROOT,
    content: emptyState(
      'The sandbox holds no session of this id.',
      html`<p>The sandbox may have been reset since. <a href="${ROOT}">All sessions</a></p>`,
    ),
  });
