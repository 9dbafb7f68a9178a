/** A sample in a scrape of metrics: one line with a name, labels and a value. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the samples of a scrape in Prometheus’ text format. */
export function samplesOf(scrape: string): Sample[] {
  return scrape.split('\n').flatMap((line) => {
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (found === null) return [];
    const [, name = '', labels = '', value] = found;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [
      {
        name,
        labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
        value: Number(value),
      },
    ];
  });
}

/** Returns the sum of the samples with this name and these labels. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Returns the names of metrics in a text, such as a query. */
export const namesIn = (text: string): string[] => [
  ...new Set(text.match(/\b(?:paysession|temporal)_[a-z_]+/g)),
];
