/** A line of a panel. Each point has a time after the opening, in milliseconds, and a value. */
export interface Line {
  readonly label: string;
  readonly colour: string;
  readonly points: readonly (readonly [atMs: number, value: number])[];
}

export interface Panel {
  readonly title: string;
  /** The ticks of the vertical axis, lowest first. The first and the last tick are the panel's borders. */
  readonly ticks: readonly (readonly [value: number, label: string])[];
  readonly lines: readonly Line[];
}

const WIDTH = 420;
const HEIGHT = 260;
const LEFT = 52;
const TOP = 34;
const GAP = 76;

/** The ticks of the horizontal axis: times after the opening of the session. */
const TIMES: readonly (readonly [number, string])[] = [
  [1_000, '1 s'],
  [10_000, '10 s'],
  [60_000, '1 min'],
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [36_000_000, '10 h'],
  [90_000_000, '25 h'],
];

/** Draws panels side by side, as SVG. Both axes are logarithmic. */
export function plot(panels: readonly Panel[]): string {
  const width = LEFT + panels.length * (WIDTH + GAP);
  const height = TOP + HEIGHT + 66;
  const drawn = panels.map((panel, index) => drawPanel(panel, LEFT + index * (WIDTH + GAP)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    '</svg>',
  ].join('\n')}\n`;
}

function drawPanel({ title, ticks, lines }: Panel, left: number): string {
  const x = scale(TIMES, left, left + WIDTH);
  const y = scale(ticks, TOP + HEIGHT, TOP);
  const bottom = TOP + HEIGHT;
  return [
    text(left, TOP - 14, title, 'font-weight="bold"'),
    ...TIMES.map(([value, label]) => {
      const at = x(value);
      return line([at, TOP], [at, bottom]) + text(at, bottom + 16, label, 'text-anchor="middle"');
    }),
    ...ticks.map(([value, label]) => {
      const at = y(value);
      return line([left, at], [left + WIDTH, at]) + text(left - 6, at + 4, label, 'text-anchor="end"');
    }),
    ...lines.map(({ colour, points }) => {
      const path = points.map(([atMs, value]) => `${x(atMs)},${y(value)}`).join(' ');
      return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    }),
    ...lines.map(({ label, colour }, index) =>
      text(left + index * (WIDTH / lines.length), bottom + 44, `— ${label}`, `fill="${colour}"`),
    ),
  ].join('\n');
}

/**
 * Returns a function that maps a value to a position on a logarithmic axis, in pixels, rounded to a tenth. A value
 * outside the ticks has the position of the nearest border.
 */
function scale(ticks: readonly (readonly [number, string])[], from: number, to: number) {
  const [low, high] = [Math.log(ticks[0]?.[0] ?? 1), Math.log(ticks.at(-1)?.[0] ?? 10)];
  return (value: number): number => {
    const share = Math.min(1, Math.max(0, (Math.log(value) - low) / (high - low)));
    return Math.round((from + share * (to - from)) * 10) / 10;
  };
}

type Point = readonly [x: number, y: number];

const line = ([x1, y1]: Point, [x2, y2]: Point): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#dddddd"/>`;

const text = (x: number, y: number, words: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${words}</text>`;
