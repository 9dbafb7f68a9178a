import type { SandboxMail } from '../mail/mail';
import { html, type Html } from '../../web/html';
import type { PageMaker } from '../../web/send-page';
import { moment, overviewLayout, table } from './page-layout';

/** The mails that payors would have got, the newest first (contract A45, A72). */
export function outboxPage(mails: readonly SandboxMail[]): PageMaker {
  return overviewLayout(
    'Outbox',
    html`<p>The payment service would have sent these mails. <a href="outbox.json">As JSON</a></p>
      ${table('Mails', ['At (UTC)', 'To', 'Language', 'Kind', 'Mail', 'Link'], mails.map(mailRow))}`,
  );
}

const mailRow = ({ at, to, language, kind, subject, text, link }: SandboxMail): readonly Html[] => [
  moment(at),
  html`${to}`,
  html`${language}`,
  html`${kind}`,
  html`<div lang="${language.toLowerCase()}">
    <strong>${subject}</strong>
    ${paragraphs(text)}
  </div>`,
  link === undefined ? html`–` : html`<a href="${link}">${link}</a>`,
];

/** The text of a mail; a newline within a paragraph is kept by the page's style. */
const paragraphs = (text: string): readonly Html[] =>
  text
    .trim()
    .split('\n\n')
    .map((paragraph) => html`<p>${paragraph}</p>`);
