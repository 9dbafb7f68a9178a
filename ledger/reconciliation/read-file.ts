import { findColumns, invalidFile, type FileColumns, type ReconciliationColumns } from './columns';
import { csvRows, type BrokenOff, type CsvRow, type TextPieces } from './csv-rows';
import { hasNoPayment, readLine, type FileLine } from './file-line';
import type { Unmatched } from './match';

/** A line that was read, or why it was not. */
export type ReadLine =
  { readonly line: number; readonly says: FileLine } | { readonly line: number; readonly wrong: Unmatched };

/** How a file is written. */
export interface FileLayout {
  /** @default each column is named as what it has */
  readonly columns?: ReconciliationColumns | undefined;
  /** What is between the cells: one character. @default that of a first line such as `sep=;`, or else a comma */
  readonly delimiter?: string | undefined;
  /** What errors call the file. @default 'the file' */
  readonly name?: string | undefined;
}

/** What a run remembers grows with the file. */
const MOST_LINES = 1_000_000;

const TOO_LONG = `nothing from this line on was taken: a file may have ${MOST_LINES} lines. Divide it`;

/** Reads a file line by line. Throws `PaysessionError` `INVALID_FILE` where it is empty or lacks columns. */
export async function* readFile(
  file: TextPieces,
  { columns: named = {}, delimiter, name = 'the file' }: FileLayout,
): AsyncGenerator<ReadLine> {
  let columns: FileColumns | undefined;
  let count = 0;
  for await (const row of csvRows(file, delimiter)) {
    if (columns === undefined) {
      columns = columnsOf(row, named, name);
      continue;
    }
    count += 1;
    if (count > MOST_LINES) {
      yield { line: row.line, wrong: { reason: 'unreadable', detail: TOO_LONG } };
      return;
    }
    if (!isTotal(row, columns)) yield toLine(row, columns);
  }
  if (columns === undefined) throw invalidFile(name, 'it is empty.');
}

function columnsOf(first: CsvRow | BrokenOff, named: ReconciliationColumns, name: string): FileColumns {
  if ('reason' in first)
    throw invalidFile(name, `in line ${first.line}, which must name its columns, ${first.detail}.`);
  return findColumns(first, named, name);
}

const isTotal = (row: CsvRow | BrokenOff, columns: FileColumns): boolean =>
  'cells' in row && hasNoPayment(row.cells, columns);

function toLine(row: CsvRow | BrokenOff, columns: FileColumns): ReadLine {
  const { line } = row;
  if ('reason' in row) return { line, wrong: { reason: row.reason, detail: row.detail } };
  const says = readLine(row.cells, columns);
  return typeof says === 'string' ? { line, wrong: { reason: 'unreadable', detail: says } } : { line, says };
}

/** Gathers what comes one by one. */
export async function* inBatches<T>(all: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
