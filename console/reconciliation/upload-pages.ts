import { randomUUID } from 'node:crypto';
import type { ReconciledLine } from '../../ledger';
import { type ReconciliationTotals, isStrange, type Total } from '../../ledger/reconciliation/totals';
import { toDecimal, readColumns } from '../../ledger/reconciliation/file-line';
import { html, type Html } from '../../src/web/html';
import { formatCount, formatMoney } from '../../src/web/language';
import { button, field, fileField, hidden, selectField } from '../../src/web/shell/forms';
import { dataTable, disclosure, facts, notice, numeric, section } from '../../src/web/shell/parts';
import type { Reader } from '../access/reader';
import { textsOf } from '../texts';
import { lineTable, type ShownLine } from './queue-page';

/** The layout of a file, as an operator has typed it. */
export type TypedLayout = Readonly<Record<'account' | 'columns' | 'delimiter', string>>;

const NOTHING_TYPED: TypedLayout = { account: '', columns: '', delimiter: '' };
const MOST_TYPED = 500;

/** The separators of cells that the form offers. */
const DELIMITERS = ['', ';', 'tab'] as const;

/** Reads the layout from a form. */
export function typedLayout(fields: URLSearchParams): TypedLayout {
  const text = (name: keyof TypedLayout) => (fields.get(name) ?? '').trim().slice(0, MOST_TYPED);
  return { account: text('account'), columns: text('columns'), delimiter: text('delimiter') };
}

/** Returns the layout as options of `reconcile`; `undefined` if the columns or the delimiter cannot be read. */
export function layoutOf({ account, columns, delimiter }: TypedLayout) {
  const named = columns === '' ? {} : readColumns(columns);
  if (named === undefined || !DELIMITERS.some((known) => known === delimiter)) return undefined;
  return {
    columns: named,
    ...(account !== '' && { account }),
    ...(delimiter !== '' && { delimiter: delimiter === 'tab' ? '\t' : delimiter }),
  };
}

/** The form's fields that have to be filled in again. */
export interface UploadFaults {
  readonly file?: true;
  readonly columns?: true;
  /** Present if the file was refused, perhaps because of its layout. */
  readonly layout?: true;
}

/** Renders the form that sends a file for a dry run. Only operators see it. */
export function uploadForm(
  { language, csrfToken, operator }: Reader,
  typed: TypedLayout = NOTHING_TYPED,
  faults: UploadFaults = {},
): Html {
  if (operator.role !== 'operator') return html``;
  const { upload } = textsOf(language).reconciliation;
  const layout = html`${field({ name: 'account', label: upload.account, hint: upload.accountHint, value: typed.account, maxLength: MOST_TYPED })}
  ${field({
    name: 'columns',
    label: upload.columns,
    hint: upload.columnsHint,
    value: typed.columns,
    maxLength: MOST_TYPED,
    ...(faults.columns && { error: upload.columnsWrong }),
  })}
  ${selectField({
    name: 'delimiter',
    label: upload.delimiter,
    value: typed.delimiter,
    options: DELIMITERS.map((value) => ({ value, text: upload.delimiters[value] })),
  })}`;
  const isTyped =
    Object.values(typed).some((text) => text !== '') || faults.columns === true || faults.layout === true;
  return section(
    upload.title,
    html`<form method="post" action="/reconciliation/preview" enctype="multipart/form-data">
      ${hidden('csrf', csrfToken)}
      ${fileField({
        name: 'file',
        label: upload.file,
        hint: upload.hint,
        accept: '.csv,text/csv',
        required: true,
        ...(faults.file && { error: upload.missing }),
      })}
      ${isTyped ? layout : disclosure(upload.layout, layout)}
      <p class="row">${button(upload.button)}</p>
    </form>`,
  );
}

/** The result of a dry run: the file was read, and nothing was recorded. */
export interface DryRun {
  readonly name: string;
  readonly text: string;
  readonly typed: TypedLayout;
  readonly totals: ReconciliationTotals;
  /** The first lines that no payment matches. */
  readonly unmatched: readonly ReconciledLine[];
}

/**
 * Renders the payments that a file would change, and the form that records the file. The form contains the file, because the console stores
 * no files.
 */
export function previewPage({ name, text, typed, totals, unmatched }: DryRun, reader: Reader): Html {
  const { language, csrfToken } = reader;
  const { preview, upload } = textsOf(language).reconciliation;
  const hiddenLines = totals.unmatched - unmatched.length;
  return html`${isStrange(totals) && notice('attention', preview.strange.heading, preview.strange.body)}
    ${notice('busy', preview.nothingYet, preview.confirm)} ${totalsTable(totals, reader)}
    <form method="post" action="/reconciliation/record">
      ${hidden('csrf', csrfToken)} ${hidden('once', randomUUID())} ${hidden('name', name)}
      ${(['account', 'columns', 'delimiter'] as const).map((name) => hidden(name, typed[name]))}
      ${hidden('file', Buffer.from(text).toString('base64'))}
      <p class="row">${button(preview.button)} <a href="/reconciliation">${upload.otherFile}</a></p>
    </form>
    ${
      unmatched.length > 0 &&
      section(
        preview.lines,
        html`${lineTable(
          unmatched.map((line) => asShown(line, name)),
          reader,
        )}
        ${hiddenLines > 0 && html`<p class="soft">${preview.more(formatCount(hiddenLines, language))}</p>`}`,
      )
    }`;
}

function asShown({ line, reason = 'unreadable', says }: ReconciledLine, file: string): ShownLine {
  if (says === undefined) return { line, reason, file };
  const { kind, date, cents, currency, sessionId, referenceId } = says;
  return {
    ...{ line, reason, file, kind, date, amount: toDecimal(cents) },
    ...(currency !== undefined && { currency }),
    ...(sessionId !== undefined ? { sessionId } : referenceId !== undefined && { referenceId }),
  };
}

function totalsTable(totals: ReconciliationTotals, { language }: Reader): Html {
  const { preview } = textsOf(language).reconciliation;
  const { recorded, known, unmatched, settled, returned, settledOut, returnedOut } = totals;
  const count = (value: number) => formatCount(value, language);
  const sums = { settled, returned, settledOut, returnedOut };
  const rows = (Object.entries(sums) as [keyof typeof sums, Total][]).filter(([, { lines }]) => lines > 0);
  return html`${facts([
    [preview.recorded, count(recorded)],
    [preview.known, count(known)],
    [preview.unmatched, count(unmatched)],
  ])}
  ${
    rows.length > 0 &&
    dataTable(
      preview.title,
      [preview.money, numeric(preview.count), numeric(preview.sum)],
      rows.map(([name, { lines, amount }]) => [
        preview[name],
        count(lines),
        html`<span class="nowrap">${formatMoney(Number(amount), language)}</span>`,
      ]),
    )
  }`;
}
