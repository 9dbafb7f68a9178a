import { randomUUID } from 'node:crypto';
import type { UnmatchedLine } from '../../ledger';
import type { ReconciliationRun, UnmatchedTotals } from '../../ledger/reconciliation/unmatched-lines';
import { html, type Html } from '../../src/web/html';
import { button, hidden } from '../../src/web/shell/forms';
import { notice } from '../../src/web/shell/parts';
import { moment } from '../../src/web/shell/time';
import type { Reader } from '../access/reader';
import { reasonField, type RefusedReason } from '../session/acts/confirm-form';
import { textsOf } from '../texts';
import { linePath, lineTable, overNotice, runPath, totalsText } from './queue-page';

/**
 * Renders the form for an operator's explanation of a line, or the reason why the line needs none any more. `refused` is an explanation
 * that was empty or too long.
 */
export function explainPage(line: UnmatchedLine, reader: Reader, refused?: RefusedReason): Html {
  const { language } = reader;
  const { explain } = textsOf(language).reconciliation;
  const back = html`<a href="/reconciliation">${explain.back}</a>`;
  // Without `seenAt`, the table shows no link to this same page.
  const { seenAt: _seenAt, ...shown } = line;
  const table = lineTable([shown], reader);
  if (line.key !== undefined || line.by !== undefined)
    return html`${overNotice(line, reader)} ${table}
      <p>${back}</p>`;
  return html`${table}
  ${explanationForm({ path: linePath(line.id), consequence: explain.consequence }, reader, refused)}`;
}

/** A run of reconcile, and the totals of its lines that still wait for a payment or an explanation. */
export interface WaitingRun {
  readonly run: ReconciliationRun;
  readonly totals: UnmatchedTotals;
}

/** Renders the form for one explanation of all waiting lines of a run, for example if the run had the wrong file. */
export function explainRunPage({ run, totals }: WaitingRun, reader: Reader, refused?: RefusedReason): Html {
  const { language } = reader;
  const { explain } = textsOf(language).reconciliation;
  if (totals.count === 0)
    return html`${notice('quiet', explain.runOverHeading, explain.runOver)}
      <p><a href="/reconciliation">${explain.back}</a></p>`;
  return html`<p><strong>${run.file}</strong>, ${moment(run.beganAt, reader)}</p>
    <p>${totalsText(totals, language)}</p>
    ${explanationForm({ path: runPath(run.id), consequence: explain.runConsequence }, reader, refused)}`;
}

function explanationForm(
  { path, consequence }: { readonly path: string; readonly consequence: string },
  { language, csrfToken }: Reader,
  refused: RefusedReason | undefined,
): Html {
  const { reconciliation, acting } = textsOf(language);
  const { explain } = reconciliation;
  return html`${notice('busy', acting.form.follows, consequence)}
    <form method="post" action="${path}">
      ${hidden('csrf', csrfToken)} ${hidden('once', refused?.once ?? randomUUID())}
      ${reasonField(explain.hint, language, refused?.reason, refused !== undefined)}
      <p class="row">${button(explain.button)} <a href="/reconciliation">${explain.back}</a></p>
    </form>`;
}
