import { html, type Html } from '../html';

/** The name of a column; numbers stand to the right, below each other. A narrow page has no place for one that is `wideOnly`. */
export type Column = string | ColumnParts;

export interface ColumnParts {
  readonly text: string;
  readonly numeric?: true;
  readonly wideOnly?: true;
  /** What stands at its head. @default the text */
  readonly heading?: Html;
  /** Which way the rows are sorted by it. @default they are not */
  readonly sorted?: 'asc' | 'desc';
}

/** What a cell says where there is nothing to say. */
export const NOTHING = '–';

/** A table. On a narrow page its rows are cards, and where it is too wide it scrolls inside itself: the page never does. */
export function dataTable(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string)[])[],
  /** On a narrow page, a dense row has a line or two, without the names of its columns. */
  rowsAre: 'roomy' | 'dense' = 'roomy',
): Html {
  const cell = (content: Html | string, index: number) => {
    const column = columns[index];
    const name = column === undefined ? '' : textOf(column);
    return html`<td data-column="${name}" ${classOf(column)} ${content === NOTHING && html`data-nothing`}>
      <div>${content}</div>
    </td>`;
  };
  // No region: the section that a table stands in may have the same name, and no two landmarks may.
  return html`<div class="table ${rowsAre}" role="group" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map(headCell)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(cell)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const SORTED = { asc: 'ascending', desc: 'descending' } as const;

function headCell(column: Column): Html {
  const { text, heading, sorted }: ColumnParts = typeof column === 'string' ? { text: column } : column;
  return html`<th scope="col" ${classOf(column)} ${sorted && html`aria-sort="${SORTED[sorted]}"`}>
    ${heading ?? text}
  </th>`;
}

const textOf = (column: Column): string => (typeof column === 'string' ? column : column.text);

function classOf(column: Column | undefined): Html | false {
  if (typeof column !== 'object') return false;
  const classes = [column.numeric && 'number', column.wideOnly && 'wide-only'].filter(Boolean).join(' ');
  return classes !== '' && html`class="${classes}"`;
}
