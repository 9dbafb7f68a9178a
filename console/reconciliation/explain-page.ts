import { randomUUID } from 'node:crypto';
import type { UnmatchedLine } from '../../ledger';
import { html, type Html } from '../../src/web/html';
import { button, hidden } from '../../src/web/shell/forms';
import { notice } from '../../src/web/shell/parts';
import type { Reader } from '../access/reader';
import { reasonField } from '../session/acts/confirm-form';
import { textsOf } from '../texts';
import { linePath, lineTable, overNotice } from './queue-page';

/** Asks for the explanation of a line. `refused` is one that was missing or too long. */
export function explainPage(
  line: UnmatchedLine,
  reader: Reader,
  refused?: { readonly reason: string; readonly once: string },
): Html {
  const { language, csrfToken } = reader;
  const { explain } = textsOf(language).reconciliation;
  const back = html`<a href="/reconciliation">${explain.back}</a>`;
  // Without the column that leads here.
  const { seenAt: _seenAt, ...shown } = line;
  const table = lineTable([shown], reader);
  if (line.key !== undefined || line.by !== undefined)
    return html`${overNotice(line, reader)} ${table}
      <p>${back}</p>`;
  return html`${table} ${notice('busy', explain.follows, explain.consequence)}
    <form method="post" action="${linePath(line.id)}">
      ${hidden('csrf', csrfToken)} ${hidden('once', refused?.once ?? randomUUID())}
      ${reasonField(explain.hint, language, refused?.reason, refused !== undefined)}
      <p class="row">${button(explain.button)} ${back}</p>
    </form>`;
}
