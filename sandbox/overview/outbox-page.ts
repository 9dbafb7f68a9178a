import type { SandboxMail } from '../mail/mail';
import { html, type Html } from '../../web/html';
import type { PageMaker } from '../../web/send-page';
import { dataTable } from '../../web/shell/data-table';
import { badge, emptyState } from '../../web/shell/parts';
import { moment } from '../../web/shell/time';
import { MAIL_KINDS } from './mail-kinds';
import { overviewLayout, shortId } from './page-layout';
import { mailSearch, type Search } from './search';

export interface OutboxShown {
  readonly search: Search;
  /** The newest of those that were found. */
  readonly mails: readonly SandboxMail[];
  readonly held: number;
}

/** The mails that payors would have got, the newest first (contract A45, A72). */
export function outboxPage({ search, mails, held }: OutboxShown): PageMaker {
  return overviewLayout({
    title: 'Outbox',
    place: 'outbox',
    content: html`<p>The payment service would have sent these mails. <a href="outbox.json">As JSON</a></p>
      ${held > 0 && mailSearch(search)} ${mailsTable(mails, held)}`,
  });
}

function mailsTable(mails: readonly SandboxMail[], held: number): Html {
  if (held === 0) return emptyState('None yet.', 'Payors get mails as their sessions end.');
  if (mails.length === 0) {
    return emptyState('None found.', html`<p>No mail is like that. <a href="outbox">Show all</a></p>`);
  }
  return dataTable('Mails', ['At', 'To', 'Kind', 'Session', 'Mail', 'Link'], mails.map(mailRow));
}

function mailRow(mail: SandboxMail): readonly (Html | string)[] {
  const { at, to, language, kind, sessionId, subject, text, link } = mail;
  return [
    moment(at),
    to,
    badge(MAIL_KINDS[kind].text, MAIL_KINDS[kind].tone),
    html`<a href="./sessions/${sessionId}">${shortId(sessionId)}</a>`,
    html`<div lang="${language.toLowerCase()}">
      <strong>${subject}</strong>
      ${paragraphs(text)}
    </div>`,
    link === undefined ? '–' : html`<a href="${link}">${link}</a>`,
  ];
}

/** The text of a mail; a newline within a paragraph is kept by the page's style. */
const paragraphs = (text: string): readonly Html[] =>
  text
    .trim()
    .split('\n\n')
    .map((paragraph) => html`<p>${paragraph}</p>`);
