import { PaysessionError } from '../../src/errors';

/** Which column of a file has what; names are compared without regard to case. */
export interface ReconciliationColumns {
  /** The reference of the session's request. @default 'reference' */
  readonly reference?: string;
  /** The payment service's id of the session. @default 'session' */
  readonly session?: string;
  /** Dollars, such as 1250.50. @default 'amount' */
  readonly amount?: string;
  /** @default 'currency' */
  readonly currency?: string;
  /** A day, such as 2026-05-06. @default 'date' */
  readonly date?: string;
  /** `settled` or `returned`. @default 'kind' */
  readonly kind?: string;
  /** Why a payment was returned. @default 'code' */
  readonly code?: string;
}

export type ColumnName = keyof ReconciliationColumns;

/** What a column may be named for. */
export const COLUMN_NAMES = [
  'reference',
  'session',
  'amount',
  'currency',
  'date',
  'kind',
  'code',
] as const satisfies readonly ColumnName[];

/** These must be there; of reference and session, one must. */
const NEEDED: readonly ColumnName[] = ['amount', 'date', 'kind'];

/** Where in a row what stands. */
export interface FileColumns {
  /** Those up to the last one that has a title. */
  readonly count: number;
  readonly places: Readonly<Partial<Record<ColumnName, number>>>;
}

/** The row of a file that names its columns. */
export interface FileHead {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Finds the columns in the head of a file. Throws `PaysessionError` `INVALID_FILE`, which says what is missing, and quotes nothing of the
 * file: it may be another one than was meant, such as one of secrets.
 */
export function findColumns(
  { line, cells }: FileHead,
  named: ReconciliationColumns,
  file: string,
): FileColumns {
  const names = cells.map((name) => name.trim());
  const problems: string[] = [];
  const places: Partial<Record<ColumnName, number>> = {};
  for (const column of COLUMN_NAMES) {
    const wanted = named[column] ?? column;
    const found = names.flatMap((name, place) => (isSame(name, wanted) ? [place] : []));
    const [place] = found;
    if (found.length > 1) problems.push(`two columns are named "${wanted}"`);
    else if (place !== undefined) places[column] = place;
    else if (named[column] !== undefined || NEEDED.includes(column))
      problems.push(`there is no column "${wanted}" for the ${column}`);
  }
  if (places.reference === undefined && places.session === undefined && problems.length === 0)
    problems.push('there is no column "reference" and none "session": one must tell which payment it is');
  if (problems.length > 0) throw invalidFile(file, `${problems.join('; ')}. ${adviceFor(names, line)}`);
  return { count: names.findLastIndex((name) => name !== '') + 1, places };
}

const isSame = (one: string, other: string): boolean => plainTitle(one) === plainTitle(other);

/** A title may be broken in two lines of its cell, and programs write an accent as one character or as two. */
const plainTitle = (title: string): string => title.trim().replace(/\s+/g, ' ').normalize().toLowerCase();

function adviceFor(names: readonly string[], line: number): string {
  const [only = ''] = names;
  const delimiter = /[;\t|]/.exec(only)?.[0];
  if (names.length === 1 && delimiter !== undefined)
    return `Line ${line} has one title: if ${NAMES[delimiter] ?? delimiter} is between its cells, say so (--delimiter).`;
  const titles = names.filter((name) => name !== '');
  const count = titles.length === 1 ? 'one title' : `${titles.length} titles`;
  const example = titles.some((title) => title.includes(',')) ? `'amount="NAME, WITH COMMA"'` : 'amount=NAME';
  return `Line ${line} has ${count}, and must name the columns: say which one has what, such as --columns ${example},date=NAME.`;
}

const NAMES: Readonly<Record<string, string>> = { ';': 'a semicolon', '\t': 'a tab', '|': 'a bar' };

/** A file of which nothing can be taken. */
export function invalidFile(file: string, why: string): PaysessionError {
  return new PaysessionError('INVALID_FILE', `Nothing was taken from ${file}: ${why}`);
}
