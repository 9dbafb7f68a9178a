import { html, type Html } from '../../src/web/html';
import type { Tone } from '../../src/web/shell/parts';

export interface Series {
  readonly text: string;
  readonly tone: Tone;
  /** One value for each label; none is negative. */
  readonly values: readonly number[];
}

export interface ColumnChart {
  readonly label: string;
  /** Labels of the time axis, the earliest first. */
  readonly labels: readonly string[];
  /** Series that are shown next to each other. */
  readonly series: readonly Series[];
  /** Formats a value for the axis. */
  readonly format: (value: number) => string;
}

/** The size of the plot in its own units. The plot is stretched to fit the page, and the texts around it keep their size. */
const [WIDTH, HEIGHT] = [300, 100];
/** The part of a label's width that the columns of the label fill, from 0 to 1. */
const FILLED = 0.8;

/**
 * Renders columns over time, with both axes. To a screen reader, the chart is one picture. So a table next to the chart should contain the
 * same values.
 */
export function columnChart({ label, labels, series, format }: ColumnChart): Html {
  const top = niceTop(Math.max(...series.flatMap(({ values }) => values), 0));
  const slot = WIDTH / Math.max(labels.length, 1);
  const width = (slot * FILLED) / Math.max(series.length, 1);
  const column = (value: number, place: number, beside: number) => {
    const height = (HEIGHT * value) / top;
    const x = place * slot + (slot * (1 - FILLED)) / 2 + beside * width;
    return html`<rect
      x="${x.toFixed(2)}"
      y="${(HEIGHT - height).toFixed(2)}"
      width="${width.toFixed(2)}"
      height="${height.toFixed(2)}"
    />`;
  };
  const middle = labels[Math.floor((labels.length - 1) / 2)];
  return html`<figure class="chart">
    <figcaption>
      ${label}
      <span class="legend">
        ${series.map(({ text, tone }) => html`<span><span class="swatch tone-${tone}"></span>${text}</span> `)}
      </span>
    </figcaption>
    <div class="plot">
      <div class="axis" aria-hidden="true">
        <span>${format(top)}</span><span>${format(top / 2)}</span><span>${format(0)}</span>
      </div>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
        ${[0, HEIGHT / 2, HEIGHT].map((y) => html`<line x1="0" y1="${y}" x2="${WIDTH}" y2="${y}" />`)}
        ${series.map(
          ({ values, tone }, beside) =>
            html`<g class="tone-${tone}">${values.map((value, place) => column(value, place, beside))}</g>`,
        )}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>${labels[0]}</span><span>${middle}</span><span>${labels.at(-1)}</span>
      </div>
    </div>
  </figure>`;
}

/** Returns the top of the axis: 1, 2, 4, 6 or 8 times a power of ten, and at least 2. Half of such a number is easy to read. */
export function niceTop(highest: number): number {
  if (highest <= 2) return 2;
  const unit = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 4, 6, 8, 10, 20].map((digit) => digit * unit).find((top) => top >= highest) ?? highest;
}

interface Bar {
  readonly text: string;
  /** Not negative. */
  readonly value: number;
  /** The formatted value. @default the number */
  readonly shown?: string;
  /** The address to which the bar's text links. */
  readonly href?: string;
  readonly tone?: Tone;
}

/** Renders horizontal bars, relative to the longest. The list contains the texts and the values, and the bars are only decoration. */
export function barChart(label: string, bars: readonly Bar[]): Html {
  const longest = Math.max(...bars.map(({ value }) => value), 1);
  return html`<ul class="bars" aria-label="${label}">
    ${bars.map(
      ({ text, value, shown, href, tone = 'busy' }) =>
        html`<li>
          <span>${href === undefined ? text : html`<a href="${href}">${text}</a>`}</span>
          <svg class="tone-${tone}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="100" height="10" />
            <rect class="fill" width="${(100 * value) / longest}" height="10" />
          </svg>
          <span class="value">${shown ?? value}</span>
        </li>`,
    )}
  </ul>`;
}
