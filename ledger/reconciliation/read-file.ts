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

/** A line that was read. If a line could not be read, the reason and the line's cells. */
export type ReadLine =
  | { readonly line: number; readonly says: FileLine }
  | { readonly line: number; readonly wrong: Unmatched; readonly cells: readonly string[] };

/** The format of a file. */
export interface FileLayout {
  /** The titles of the columns. @default each column has its default title */
  readonly columns?: ReconciliationColumns | undefined;
  /** The character between the cells. @default the one in a first line such as `sep=;`. Without such a line, a comma */
  readonly delimiter?: string | undefined;
  /** The file's name in error messages. @default 'the file' */
  readonly name?: string | undefined;
}

/** The maximum number of lines in a file. It is limited, because the memory of a run grows with each line. */
const MOST_LINES = 1_000_000;

const TOO_LONG = `nothing from this line on was taken: a file may have at most ${MOST_LINES} lines. Divide it`;

/**
 * Reads a file line by line.
 *
 * @throws `PaysessionError` `INVALID_FILE` if the file is empty, or its column titles are unreadable, missing or repeated
 * @throws `MissingPackagesError` if the package `csv-parse` is not installed
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

/** Yields single items in batches. */
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

/** A text as a whole, or in pieces of any size. */
export type TextPieces = AsyncIterable<string> | Iterable<string>;

/** The reason why the rest of a file was not read. */
interface BrokenOff extends Unmatched {
  /** The number of the first line that was not read. */
  readonly line: number;
  /** A hash of the whole file instead of the line's cells. Another file may have the same incomplete line, but has another hash. */
  readonly cells: readonly string[];
}

/** The maximum size of a row. Without a limit, a quotation mark that is never closed would make the rest of the file one row. */
const MOST_ROW_BYTES = 64 * 1_024;

const NOT_WHOLE =
  'the file ends in this line, without a line break: it was not taken, since its end may be missing. If the file is whole, add a line break at its end';

/** Matches the line that Excel and PowerShell write above the titles. Excel writes the delimiter there, and PowerShell a type. */
const ABOVE_TITLES = /^(?:"?sep=(.)"?|#TYPE [^\r\n]*)(?:\r\n|\n|\r)/i;

/**
 * Reads CSV (RFC 4180) piece by piece. Yields all complete rows. If the file breaks off, then yields the place where it does. Skips a byte order
 * mark, rows of empty cells, and the line that programs write above the titles. If no delimiter is given, uses the one in a line `sep=;`, or a
 * comma.
 *
 * @throws `MissingPackagesError` if `csv-parse` is not installed
 */
async function* csvRows(file: TextPieces, delimiter?: string): AsyncGenerator<CsvRow | BrokenOff> {
  let reader: RowReader | undefined;
  let end = '';
  let line = 0;
  // The last row that was read. It is yielded later, when it is known that the row is complete.
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

/** Yields a text in pieces, without its byte order mark. The first piece contains the whole first line. At the end, yields `undefined`. */
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

/** Converts an error of the parser. The parser's own message is not used, because it quotes the file. */
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

/** Passes pieces to the CSV parser and collects rows. It keeps the rows before an error. The parser's own stream would lose them. */
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
    // The error is handled in the callbacks of `write` and `end`.
    this.#parser.on('error', () => undefined);
  }

  /** Parses the next piece, or the end of the file if `piece` is `undefined`. Returns the rows that are now complete. */
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
  // Loaded only here, because most users of a ledger read no reconciliation files.
  const { parse } = require('csv-parse') as typeof CsvParse;
  return parse(options);
}
