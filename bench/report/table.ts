import { isRecord } from '../../src/contract/values/json';
import { numbersOf } from '../figures/flatten';
import { LABELS } from './labels';

export type Rows = readonly (readonly string[])[];

/**
 * The values that we want to reach, by the names of figures. A target without a unit applies to the ratio. If the row
 * has no ratio, it applies to the figure. In a table of levels, it applies to the last level.
 */
export type Targets = Readonly<Record<string, string>>;

/**
 * Returns a workload's figures as rows of text. The first row is the header. The table has a column for each side,
 * level or page, then the ratios and the targets.
 */
export function tableOf(figures: unknown, targets?: Targets): Rows {
  if (Array.isArray(figures)) {
    const levels = rowsOf(figures.map((level, index) => [`level ${index + 1}`, level] as const));
    return withColumns(levels, targets ? [targetsOf(numbersOf(figures.at(-1)), targets)] : []);
  }
  if (isRecord(figures) && isRecord(figures['pages'])) return rowsOf(Object.entries(figures['pages']));
  if (!isRecord(figures) || !('paysession' in figures)) return rowsOf([['paysession', figures]]);
  const ours = numbersOf(figures['paysession']);
  const columns = [...ratiosOf(figures, ours), ...(targets ? [targetsOf(ours, targets)] : [])];
  return withColumns(rowsOf(Object.entries(figures)), columns);
}

const withColumns = (rows: Rows, columns: readonly (readonly string[])[]): Rows =>
  rows.map((row, index) => [...row, ...columns.map((column) => column[index] ?? '')]);

/**
 * Returns the columns of ratios. If there is a baseline, this is the ratio to the baseline. Otherwise it is the ratio
 * to each other side.
 */
function ratiosOf(
  figures: Readonly<Record<string, unknown>>,
  ours: ReadonlyMap<string, number>,
): readonly (readonly string[])[] {
  const others = Object.keys(figures).filter((side) => side !== 'paysession');
  const compared = others.includes('baseline') ? ['baseline'] : others;
  return compared.map((side) => {
    const theirs = numbersOf(figures[side]);
    const ratios = namesOf([ours]).map((name) => ratioOf(ours.get(name), theirs.get(name)));
    return [compared.length === 1 ? 'ratio' : `ratio to ${side}`, ...ratios];
  });
}

const targetsOf = (ours: ReadonlyMap<string, number>, targets: Targets): readonly string[] => [
  'target',
  ...namesOf([ours]).map((name) => targets[name] ?? ''),
];

function rowsOf(columns: readonly (readonly [title: string, figures: unknown])[]): Rows {
  const numbers = columns.map(([, figures]) => numbersOf(figures));
  const rows = namesOf(numbers).map((name) => [
    LABELS[name] ?? name,
    ...numbers.map((of) => rounded(of.get(name))),
  ]);
  return [['', ...columns.map(([title]) => title)], ...rows];
}

/** Returns the names of the figures that have a label and are in the first column. */
const namesOf = ([first = new Map<string, number>()]: readonly ReadonlyMap<
  string,
  number
>[]): readonly string[] => Object.keys(LABELS).filter((name) => first.has(name));

const ratioOf = (ours: number | undefined, theirs: number | undefined): string =>
  ours === undefined || theirs === undefined || theirs === 0 ? '' : (ours / theirs).toFixed(2);

/** Formats whole numbers, and numbers of at least 100, without decimals, and others with three significant digits. */
export function rounded(value: number | undefined): string {
  if (value === undefined) return '';
  return Number.isInteger(value) || Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toPrecision(3);
}

export function asText(rows: Rows): string {
  return padded(rows)
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

/** Formats the table like `npm run format`. */
export function asMarkdown(rows: Rows): string {
  const [header = [], ...others] = padded(rows);
  const rule = header.map(({ length }, column) =>
    column === 0 ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`,
  );
  return [header, rule, ...others].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Pads columns to their widest cell: names to the left, numbers to the right. */
function padded(rows: Rows): Rows {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
}
