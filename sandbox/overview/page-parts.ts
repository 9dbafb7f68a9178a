import { Html, html } from '../../src/web/html';
import { type PageMaker, STYLE } from '../../src/web/send-page';
import { layout } from '../../src/web/shell/layout';
import { badge, emptyState, dataTable, NOTHING, type Tone } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import type { SandboxCall } from '../calls/calls';
import { awaitsSignature, type SessionStatus } from '../../src/contract';
import { maskedNumber, type SandboxSession } from '../sessions/session';
import type { SandboxSessionState } from '../sessions/transitions';
import type { MailKind } from '../sessions/mails';

export interface OverviewPage {
  readonly title: string;
  readonly heading?: Html;
  readonly content: Html;
  /** The current entry of the navigation. */
  readonly place?: 'overview' | 'outbox';
  /** The path from the page to the sandbox's root. Links are relative, so that they also work behind a proxy. */
  readonly root?: './' | '../';
}

/** Returns one of the sandbox's own pages. */
export function overviewLayout({ title, heading, content, place, root = './' }: OverviewPage): PageMaker {
  return (nonce) =>
    layout({
      language: 'EN',
      title,
      heading,
      product: 'paysession sandbox',
      head: new Html(`<style nonce="${nonce}">${STYLE}</style>`),
      navigation: [
        { text: 'Overview', href: root, isCurrent: place === 'overview' },
        { text: 'Outbox', href: `${root}outbox`, isCurrent: place === 'outbox' },
        { text: 'OpenAPI', href: `${root}openapi.json` },
      ],
      content,
    });
}

/** Returns the part of a session's id that distinguishes it from the others on the page. */
export const shortId = (sessionId: string): Html =>
  html`<code class="nowrap">${sessionId.slice(0, 8)}</code>`;

/** Returns a table of calls. With `of-one`, it does not name the session in each row. */
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
      ...(namesSession ? [sessionId === undefined ? NOTHING : sessionLink(sessionId)] : []),
    ]),
  );
}

/** Returns the link from a page at the sandbox's root to a session's page. */
export const sessionLink = (sessionId: string): Html =>
  html`<a href="./sessions/${sessionId}">${shortId(sessionId)}</a>`;

/** Returns the masked accounts that a session's money leaves and reaches. A credit reaches the payor. */
export function fromAndTo({ direction, state, destination }: SandboxSession): readonly [string, string] {
  const payor = state.account === undefined ? '–' : maskedNumber(state.account);
  const other = destination === null ? '–' : maskedNumber(destination);
  return direction === 'CREDIT' ? [other, payor] : [payor, other];
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'attention';
  return status >= 300 ? 'quiet' : 'good';
}

/** Badges of the kinds of mails. */
export const MAIL_BADGES: Readonly<Record<MailKind, Html>> = {
  networkLink: badge('request', 'busy'),
  awaitingSignature: badge('awaiting signature', 'attention'),
  completed: badge('completed', 'good'),
  failed: badge('failed', 'bad'),
  cancelled: badge('cancelled', 'quiet'),
  expired: badge('expired', 'quiet'),
};

const TONES: Readonly<Record<SessionStatus, Tone>> = {
  Initiated: 'busy',
  Completed: 'good',
  Failed: 'bad',
  Cancelled: 'quiet',
  Expired: 'quiet',
};

/** Returns a session's status, with its code if it has one. */
export const stateBadge = (state: SandboxSessionState): Html =>
  badge(
    state.code === undefined ? state.status : `${state.status} ${state.code}`,
    awaitsSignature(state) ? 'attention' : TONES[state.status],
  );
