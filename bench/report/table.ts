import { isRecord } from '../../src/contract/values/is-record';
import { numbersOf } from '../figures/flatten';

/** A workload's figures as rows of text, the header first. */
export function tableOf(figures: unknown): readonly (readonly string[])[] {
  if (Array.isArray(figures)) return levelsTable(figures);
  if (isRecord(figures) && 'paysession' in figures) return sidesTable(figures);
  return [['', 'paysession'], ...[...numbersOf(figures)].map(([name, value]) => [name, rounded(value)])];
}

/** A column for each side, and paysession's figure against the baseline's. */
function sidesTable(figures: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  const sides = Object.keys(figures);
  const numbers = sides.map((side) => numbersOf(figures[side]));
  const [ours = new Map<string, number>(), theirs = new Map<string, number>()] = numbers;
  const rows = [...ours].map(([name, value]) => {
    const other = theirs.get(name);
    const ratio = other === undefined || other === 0 ? '' : (value / other).toFixed(2);
    return [name, ...numbers.map((side) => rounded(side.get(name) ?? NaN)), ratio];
  });
  return [['', ...sides, 'ratio'], ...rows];
}

/** A column for each level. */
function levelsTable(levels: readonly unknown[]): readonly (readonly string[])[] {
  const numbers = levels.map((level) => numbersOf(level));
  const names = [...(numbers[0]?.keys() ?? [])];
  return names.map((name) => [name, ...numbers.map((level) => rounded(level.get(name) ?? NaN))]);
}

/** Three digits that count, whole numbers as they are. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return '';
  return Number.isInteger(value) || Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toPrecision(3);
}

export function asText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function asMarkdown(rows: readonly (readonly string[])[]): string {
  const [header = [], ...others] = rows;
  const rule = header.map((_, column) => (column === 0 ? '---' : '---:'));
  return [header, rule, ...others].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Names to the left, numbers to the right. */
const pad = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);
