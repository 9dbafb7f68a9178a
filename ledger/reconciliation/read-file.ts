import { createHash } from 'node:crypto';
import type * as CsvParse from 'csv-parse';
import {
  hasNoPayment,
  readLine,
  type CsvRow,
  type FileLine,
  findColumns,
  invalidFile,
  type FileColumns,
  type ReconciliationColumns,
} from './file-line';
import type { Unmatched } from './match';
import { needOptionalPackages } from '../../src/files';

/** A line that was read, or the reason why it could not be read, with its cells. */
export type ReadLine =
  | { readonly line: number; readonly says: FileLine }
  | { readonly line: number; readonly wrong: Unmatched; readonly cells: readonly string[] };

/** The format of a file. */
export interface FileLayout {
  /** The names of the columns. @default each column has its default name */
  readonly columns?: ReconciliationColumns | undefined;
  /** The character between the cells. @default that of a first line such as `sep=;`, or else a comma */
  readonly delimiter?: string | undefined;
  /** The file's name in error messages. @default 'the file' */
  readonly name?: string | undefined;
}

/** The maximum number of lines in a file: the memory of a run grows with them. */
const MOST_LINES = 1_000_000;

const TOO_LONG = `nothing from this line on was taken: a file may have at most ${MOST_LINES} lines. Divide it`;

/**
 * Reads a file line by line.
 *
 * @throws `PaysessionError` `INVALID_FILE` if the file is empty, or its titles are unreadable, missing or repeated
 * @throws `MissingPackagesError` if `csv-parse` is not installed
 */
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
      yield { line: row.line, cells: row.cells, wrong: { reason: 'unreadable', detail: TOO_LONG } };
      return;
    }
    if ('reason' in row || !hasNoPayment(row.cells, columns)) yield toLine(row, columns);
  }
  if (columns === undefined) throw invalidFile(name, 'it is empty.');
}

function columnsOf(first: CsvRow | BrokenOff, named: ReconciliationColumns, name: string): FileColumns {
  if ('reason' in first)
    throw invalidFile(name, `in line ${first.line}, which must name its columns, ${first.detail}.`);
  return findColumns(first, named, name);
}

function toLine(row: CsvRow | BrokenOff, columns: FileColumns): ReadLine {
  const { line, cells } = row;
  if ('reason' in row) return { line, cells, wrong: { reason: row.reason, detail: row.detail } };
  const says = readLine(cells, columns);
  if (typeof says !== 'string') return { line, says };
  return { line, cells, wrong: { reason: 'unreadable', detail: says } };
}

/** Gathers single items in batches. */
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

/** A text, whole or in pieces of any size. */
export type TextPieces = AsyncIterable<string> | Iterable<string>;

/** The reason why the rest of a file was not taken. */
interface BrokenOff extends Unmatched {
  /** The first line that was not taken. */
  readonly line: number;
  /** A hash of the whole file, because another file may have the same incomplete line. */
  readonly cells: readonly string[];
}

/** The longest row. Without a limit, a quote that is never closed would swallow the rest of the file. */
const MOST_ROW_BYTES = 64 * 1_024;

const NOT_WHOLE =
  'the file ends in this line, without a line break: it was not taken, since its end may be missing. If the file is whole, add a line break at its end';

/** The line that Excel and PowerShell write above the titles: the delimiter, or a type. */
const ABOVE_TITLES = /^(?:"?sep=(.)"?|#TYPE [^\r\n]*)(?:\r\n|\n|\r)/i;

/**
 * Reads CSV by RFC 4180 piece by piece. Skips a byte order mark, rows of empty cells, and the line that programs write above the titles. Yields
 * all complete rows, and finally where the file breaks off, if it does. The delimiter is the given one, or that of a line `sep=;`, or a comma.
 *
 * @throws `MissingPackagesError` if `csv-parse` is not installed
 */
async function* csvRows(file: TextPieces, delimiter?: string): AsyncGenerator<CsvRow | BrokenOff> {
  let reader: RowReader | undefined;
  let end = '';
  let line = 0;
  // The last row waits until it is known to be complete.
  let held: CsvRow | undefined;
  const whole = createHash('sha256');
  for await (const piece of firstLineWhole(file)) {
    whole.update(piece ?? '');
    if (reader?.error !== undefined) continue;
    end = piece?.slice(-1) ?? end;
    const [above = '', separator = ','] = reader === undefined ? (ABOVE_TITLES.exec(piece ?? '') ?? []) : [];
    reader ??= new RowReader(delimiter ?? separator, above === '' ? 0 : 1);
    for (const row of await reader.take(piece?.slice(above.length))) {
      if (held !== undefined) yield held;
      held = isEmpty(row) ? undefined : row;
      ({ line } = row);
    }
  }
  if (reader?.error !== undefined) {
    if (held !== undefined) yield held;
    yield { line: line + 1, cells: [whole.digest('hex')], ...brokenBy(reader.error) };
  } else if (held !== undefined) {
    const isComplete = end === '\n' || end === '\r';
    yield isComplete ? held : { ...held, cells: [whole.digest('hex')], reason: 'cutOff', detail: NOT_WHOLE };
  }
}

const isEmpty = ({ cells }: CsvRow): boolean => cells.every((cell) => cell.trim() === '');

/** Yields the text without its byte order mark, in pieces of which the first has the whole first line. Yields `undefined` at the end. */
async function* firstLineWhole(file: TextPieces): AsyncGenerator<string | undefined> {
  let first: string | undefined = '';
  for await (const piece of typeof file === 'string' ? [file] : file) {
    if (first === undefined) {
      if (piece !== '') yield piece;
      continue;
    }
    first += piece;
    if (!/\n|\r./s.test(first) && first.length <= MOST_ROW_BYTES) continue;
    yield withoutMark(first);
    first = undefined;
  }
  if (first !== undefined && first !== '') yield withoutMark(first);
  yield undefined;
}

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** Replaces the parser's own messages, which quote the file. */
function brokenBy({ code = '' }: ParserError): Unmatched {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return { reason: 'cutOff', detail: 'the file ends within quotes that begin here or later' };
  const why = WHY[code] ?? 'it is not CSV (RFC 4180)';
  return { reason: 'unreadable', detail: `nothing from this line on was taken: ${why}` };
}

const WHY: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: 'a quote is not closed, or a line is too long',
  INVALID_OPENING_QUOTE: 'a quote is within a cell: put such a cell in quotes, and each quote in it twice',
  CSV_INVALID_CLOSING_QUOTE:
    'a quote is closed before its cell ends: within quotes, each quote is written twice',
};

interface ParserError extends Error {
  /** The error code of csv-parse. */
  readonly code?: string;
}

/** Drives the parser piece by piece. Rows before an error are kept; the parser's own stream would lose them. */
class RowReader {
  readonly #parser: CsvParse.Parser;
  readonly #rows: CsvRow[] = [];
  error: ParserError | undefined;

  /** @param before the number of lines of the file that the parser does not receive */
  constructor(delimiter: string, before: number) {
    this.#parser = openParser({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: MOST_ROW_BYTES,
      on_record: (cells: string[], { lines }) => {
        this.#rows.push({ line: lines + before, cells });
        return null;
      },
    });
    // The callbacks of `write` and `end` receive the error.
    this.#parser.on('error', () => undefined);
  }

  /** Reads the next piece, or the end of the file if there is none. Returns the rows that are complete now. */
  async take(piece: string | undefined): Promise<readonly CsvRow[]> {
    const error = await new Promise<Error | null | undefined>((done) => {
      if (piece === undefined) this.#parser.end(done);
      else this.#parser.write(piece, done);
    });
    if (error != null) this.error = error;
    return this.#rows.splice(0);
  }
}

function openParser(options: CsvParse.Options): CsvParse.Parser {
  needOptionalPackages('Reconciliation', ['csv-parse']);
  // Loaded here, because most users of a ledger read no files.
  const { parse } = require('csv-parse') as typeof CsvParse;
  return parse(options);
}
