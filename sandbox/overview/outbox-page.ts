import type { SandboxMail } from '../outbox';
import { html, type Html } from '../web/html';
import type { PageMaker } from '../web/send-page';
import { moment, overviewLayout, table } from './page-layout';

/** The mails that payors would have got, the newest first (contract A45, A72). */
export function outboxPage(mails: readonly SandboxMail[]): PageMaker {
  return overviewLayout(
    'Outbox',
    html`<p>The service would have sent these mails. <a href="outbox.json">As JSON</a></p>
      ${table('Mails', ['At (UTC)', 'To', 'Language', 'Kind', 'Subject', 'Link'], mails.map(mailRow))}`,
  );
}

const mailRow = ({ at, to, language, kind, subject, link }: SandboxMail): readonly Html[] => [
  moment(at),
  html`${to}`,
  html`${language}`,
  html`${kind}`,
  html`<span lang="${language.toLowerCase()}">${subject}</span>`,
  link === undefined ? html`–` : html`<a href="${link}">${link}</a>`,
];
