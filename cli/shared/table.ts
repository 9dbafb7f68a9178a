import Table from 'cli-table3';
import { oneLine } from './output';
import { colorsOf, widthOf, type Screen } from './terminal';

/**
 * The title of a column, or `false` to hide the column. If a table is wider than the terminal, columns with `narrowed` are made narrower before other
 * columns. Their texts are then cut or wrapped.
 */
export type Column = string | false | { readonly title: string; readonly narrowed: 'cut' | 'wrapped' };

/** A text and its colour. */
export type Cell = string | StyledCell;

export interface StyledCell {
  readonly text: string;
  readonly style: (text: string) => string;
}

const GAP = '  ';
/** The smallest width to which a column is narrowed. */
const NARROWEST = 8;

const NO_LINES = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
);

/**
 * Formats a table. Each column is as wide as its widest cell. On a terminal, columns are narrowed until the table fits the terminal's width, and a cut
 * text ends in …. Elsewhere, nothing is cut, and each row is one line.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  screen: Screen = process.stdout,
): string {
  const shown = columns.filter((column) => column !== false);
  const titles = shown.map((column) => (typeof column === 'string' ? column : column.title));
  const head = titles.map((title) => colorsOf(screen).bold(title));
  const wraps = shown.map((column) => typeof column === 'object' && column.narrowed === 'wrapped');
  const body = rows.map((cells) =>
    cells
      .filter((_cell, at) => columns[at] !== false)
      .map((cell, at) => ({ content: painted(cell), wordWrap: wraps[at] === true })),
  );
  const whole = draw(head, body);
  const width = widthOf(screen);
  const text = width === undefined ? whole.text : draw(head, body, fit(shown, whole.widths, width)).text;
  return text.replaceAll(/ +$/gm, '');
}

const painted = (cell: Cell): string =>
  typeof cell === 'string' ? oneLine(cell) : cell.style(oneLine(cell.text));

/** Returns the text of a table and the widths of its columns. @param widths the widths to use. @default the widths of the widest cells */
function draw(head: string[], rows: readonly Table.CellOptions[][], widths: readonly number[] = []) {
  const table = new Table({
    head,
    chars: { ...NO_LINES, middle: GAP },
    colWidths: [...widths],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(row);
  const text = table.toString();
  // `toString` has stored the measured widths in the options.
  return { text, widths: table.options.colWidths.map((measured) => measured ?? 0) };
}

/** Narrows the widest column step by step until the table fits, or until no column is wider than `NARROWEST`. Begins with columns with `narrowed`. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const widths = new Map(natural.entries());
  const room = width - GAP.length * (columns.length - 1);
  const all = [...widths.keys()];
  const first = all.filter((column) => typeof columns[column] === 'object');
  const excess = () => [...widths.values()].reduce((sum, one) => sum + one, -room);
  for (const some of [first, all]) {
    while (excess() > 0) {
      const [widest, wide] = some
        .map((column) => [column, widths.get(column) ?? 0] as const)
        .reduce((most, one) => (one[1] > most[1] ? one : most), [-1, NARROWEST]);
      if (widest === -1) break;
      widths.set(widest, wide - 1);
    }
  }
  return [...widths.values()];
}
