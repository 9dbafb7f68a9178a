import { html, Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

/** The meaning of a state to its reader: fine, in progress, to be checked, broken, and over or unimportant. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'quiet';

/** A shape for each tone, so that the tone is visible without colour, too. */
const SHAPES: Readonly<Record<Tone, string>> = {
  // A tick, a clock, a triangle, a cross in a block, a ring.
  good: 'M4.5 10.2 1 6.7l1.6-1.6 1.9 1.9L9.4 2 11 3.6z',
  busy: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0zm0 1.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zm-.8 1.2v3.7l2.6 1.6.8-1.3-1.8-1.1V2.8z',
  attention: 'M6 .5 12 11.5H0zM5.2 4v4h1.6V4zm0 4.9v1.4h1.6V8.9z',
  bad: 'M0 0h12v12H0zm2.4 3.5L4.9 6 2.4 8.5l1.1 1.1L6 7.1l2.5 2.5 1.1-1.1L7.1 6l2.5-2.5-1.1-1.1L6 4.9 3.5 2.4z',
  quiet: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 1.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8z',
};

/** Returns the tone's shape. It is hidden from screen readers, because the text next to it has the meaning. */
const shapeOf = (tone: Tone): Html =>
  new Html(
    `<svg viewBox="0 0 12 12" aria-hidden="true"><path fill-rule="evenodd" d="${SHAPES[tone]}"/></svg>`,
  );

/** A list keeps a text of at most this length on one line. */
export const LONGEST_ON_A_LINE = 24;

/** Renders a state in a few words, with the shape of its tone. */
export function badge(text: string, tone: Tone): Html {
  const classes = text.length > LONGEST_ON_A_LINE ? `${tone} long` : tone;
  return html`<span class="badge ${classes}">${shapeOf(tone)}${text}</span>`;
}

/** A name and its value. A fact without a value is not shown. */
export type Fact = readonly [name: string, value: Html | string | undefined];

/** Renders facts. */
export const facts = (pairs: readonly Fact[]): Html =>
  html`<dl class="facts">
    ${pairs.map(
      ([name, value]) =>
        value !== undefined &&
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;

/** Renders a notice that the reader should see first: what happened, and what to do about it. */
export const notice = (tone: Tone, heading: Html | string, body: Html | string): Html =>
  html`<div class="notice ${tone}">
    <p class="heading">${shapeOf(tone)}${heading}</p>
    <div class="body">${paragraph(body)}</div>
  </div>`;

/** Renders a part of a page under its heading. */
export const section = (title: string, content: Html): Html =>
  html`<section aria-label="${title}">
    <h2>${title}</h2>
    ${content}
  </section>`;

/** Renders the text in place of an empty list: why that is good, or how to get entries. */
export const emptyState = (heading: string, body: Html | string): Html =>
  html`<div class="empty">
    <p class="heading">${heading}</p>
    ${paragraph(body)}
  </div>`;

/** Renders a part that opens on a click, such as the form of an action, which then takes two steps. */
export const disclosure = (summary: string, body: Html): Html =>
  html`<details class="disclosure">
    <summary>${summary}</summary>
    <div class="inside">${body}</div>
  </details>`;

const paragraph = (body: Html | string): Html => (typeof body === 'string' ? html`<p>${body}</p>` : body);

/** Returns a text to which the script adds a button that copies it; `what` names the button. */
export const copyable = (text: string, what: string, language: Language): Html =>
  html`<span data-copy="${shellTexts(language).copyThis(what)}">${text}</span>`;

interface Pager {
  readonly language: Language;
  readonly next?: string | undefined;
  /** The position of the page in the list, such as “51–100 of 240”. */
  readonly position?: string;
}

/** Returns the position of a page in its list, and the link to the next page; nothing if neither exists. */
export function pager({ language, next, position }: Pager): Html {
  if (next === undefined && position === undefined) return html``;
  const texts = shellTexts(language);
  return html`<nav class="pager" aria-label="${texts.morePages}">
    ${position !== undefined && html`<span class="soft">${position}</span>`}
    ${next !== undefined && html`<a href="${next}" rel="next">${texts.next}</a>`}
  </nav>`;
}

/** The name of a column. Numbers are aligned to the right. A narrow page leaves out a column that is `wideOnly`. */
type Column = string | ColumnParts;

interface ColumnParts {
  readonly text: string;
  readonly numeric?: true;
  readonly wideOnly?: true;
  /** The cell in the heading. @default the text */
  readonly heading?: Html;
  /** The direction in which the rows are sorted by this column. @default not sorted by it */
  readonly sorted?: 'asc' | 'desc';
}

/** The text in place of a value that does not exist. */
export const NOTHING = '–';

/** A cell. `undefined` is a missing value. `false` leaves out the cell of a column that is left out. */
type Cell = Html | string | undefined | false;

/** Returns the head of a column of numbers. */
export const numeric = (text: string) => ({ text, numeric: true }) as const;

/** Returns a table. On a narrow page its rows are cards. A table that is too wide scrolls inside itself: the page never does. */
export function dataTable(
  label: string,
  columns: readonly (Column | false)[],
  rows: readonly (readonly Cell[])[],
  /** On a narrow page, a dense row has a line or two, without the names of its columns. */
  rowsAre: 'roomy' | 'dense' = 'roomy',
): Html {
  const cell = (content: Cell, index: number) => {
    const column = columns[index];
    if (content === false || column === undefined || column === false) return false;
    const { text } = partsOf(column);
    return html`<td data-column="${text}" ${classOf(column)} ${content === undefined && html`data-nothing`}>
      <div>${content ?? NOTHING}</div>
    </td>`;
  };
  // Not a region: the section around a table may have the same name, and no two landmarks may.
  return html`<div class="table ${rowsAre}" role="group" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => column !== false && headCell(column))}
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
  const { text, heading, sorted } = partsOf(column);
  return html`<th scope="col" ${classOf(column)} ${sorted && html`aria-sort="${SORTED[sorted]}"`}>
    ${heading ?? text}
  </th>`;
}

const partsOf = (column: Column): ColumnParts => (typeof column === 'string' ? { text: column } : column);

function classOf(column: Column): Html | false {
  const { numeric: isNumeric, wideOnly } = partsOf(column);
  const classes = [isNumeric && 'number', wideOnly && 'wide-only'].filter(Boolean).join(' ');
  return classes !== '' && html`class="${classes}"`;
}
