import { html, type Html } from '../../web/html';
import type { Tone } from '../../web/shell/tone';

export interface Bar {
  readonly text: string;
  /** Not negative. */
  readonly value: number;
  /** The value as it is read. @default the number */
  readonly shown?: string;
  /** Where the bar leads to, such as the list that it counts. */
  readonly href?: string;
  readonly tone?: Tone;
}

/** Bars below each other, by the longest of them. It is a list of texts and values: the bars themselves are decoration. */
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
