import { html, Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

/**
 * The tone of a state. `good`: fine. `busy`: in progress. `attention`: a person should check it. `bad`: failed. `quiet`: over or
 * unimportant.
 */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'quiet';

/** A shape for each tone, so that people who do not see the colour still see the tone. */
const SHAPES: Readonly<Record<Tone, string>> = {
  // The shapes are a tick, a clock, a triangle, a cross in a block, and a ring.
  good: 'M4.5 10.2 1 6.7l1.6-1.6 1.9 1.9L9.4 2 11 3.6z',
  busy: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0zm0 1.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zm-.8 1.2v3.7l2.6 1.6.8-1.3-1.8-1.1V2.8z',
  attention: 'M6 .5 12 11.5H0zM5.2 4v4h1.6V4zm0 4.9v1.4h1.6V8.9z',
  bad: 'M0 0h12v12H0zm2.4 3.5L4.9 6 2.4 8.5l1.1 1.1L6 7.1l2.5 2.5 1.1-1.1L7.1 6l2.5-2.5-1.1-1.1L6 4.9 3.5 2.4z',
  quiet: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 1.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8z',
};

/** Returns the tone's shape. It is hidden from screen readers, because the text next to it says the same. */
const shapeOf = (tone: Tone): Html =>
  new Html(
    `<svg viewBox="0 0 12 12" aria-hidden="true"><path fill-rule="evenodd" d="${SHAPES[tone]}"/></svg>`,
  );

/** The maximum length of a text that a list keeps on one line. */
export const LONGEST_ON_A_LINE = 24;

/** Renders a badge: a state in a few words, with the shape of its tone. */
export function badge(text: string, tone: Tone): Html {
  const classes = text.length > LONGEST_ON_A_LINE ? `${tone} long` : tone;
  return html`<span class="badge ${classes}">${shapeOf(tone)}${text}</span>`;
}

/** A name and its value. A fact without a value is not shown. */
export type Fact = readonly [name: string, value: Html | string | undefined];

/** Renders a list of facts. */
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

/** Renders a part of a page, with a heading. */
export const section = (title: string, content: Html): Html =>
  html`<section aria-label="${title}">
    <h2>${title}</h2>
    ${content}
  </section>`;

/** Renders a text that is shown if a list is empty. It says why that is good, or how to get entries. */
export const emptyState = (heading: string, body: Html | string): Html =>
  html`<div class="empty">
    <p class="heading">${heading}</p>
    ${paragraph(body)}
  </div>`;

/** Renders a part that opens on a click. For instance, it contains the form of an action, so that the action takes two steps. */
export const disclosure = (summary: string, body: Html): Html =>
  html`<details class="disclosure">
    <summary>${summary}</summary>
    <div class="inside">${body}</div>
  </details>`;

const paragraph = (body: Html | string): Html => (typeof body === 'string' ? html`<p>${body}</p>` : body);

/** Returns a text. The page's script adds a button that copies the text. Screen readers call the button `Copy:` and `what`. */
export const copyable = (text: string, what: string, language: Language): Html =>
  html`<span data-copy="${shellTexts(language).copyThis(what)}">${text}</span>`;

interface Pager {
  readonly language: Language;
  readonly next?: string | undefined;
  /** The position of the page in the list, such as “51–100 of 240”. */
  readonly position?: string;
}

/** Returns the position of a page in its list, and the link to the next page. Returns nothing if both are absent. */
export function pager({ language, next, position }: Pager): Html {
  if (next === undefined && position === undefined) return html``;
  const texts = shellTexts(language);
  return html`<nav class="pager" aria-label="${texts.morePages}">
    ${position !== undefined && html`<span class="soft">${position}</span>`}
    ${next !== undefined && html`<a href="${next}" rel="next">${texts.next}</a>`}
  </nav>`;
}

/** A column: its name, or its name with options. */
type Column = string | ColumnParts;

interface ColumnParts {
  readonly text: string;
  /** True if the column has numbers, which are aligned to the right. */
  readonly numeric?: true;
  /** True if a narrow page leaves the column out. */
  readonly wideOnly?: true;
  /** The content of the head cell. @default the text */
  readonly heading?: Html;
  /** The direction in which the rows are sorted by this column. @default the rows are not sorted by this column */
  readonly sorted?: 'asc' | 'desc';
}

/** The text that is shown for a missing value. */
export const NOTHING = '–';

/** The content of a cell. `undefined` is a missing value. If a column is left out (`false`), its cells are `false` too. */
type Cell = Html | string | undefined | false;

/** Returns a column of numbers. */
export const numeric = (text: string) => ({ text, numeric: true }) as const;

/** Returns a table. On a narrow page, each row is a card. If a table is too wide, the table scrolls, and the page does not. */
export function dataTable(
  label: string,
  columns: readonly (Column | false)[],
  rows: readonly (readonly Cell[])[],
  /** On a narrow page, a dense row takes only one or two lines, without the names of the columns. */
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
  // The role is not `region`: the section around a table may have the same name, and two landmarks must not have the
  // same name.
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
