import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './project';
import type { Measured, Results } from './results';
import { asMarkdown, tableOf } from './table';

/** The page whose tables are written from `bench/results.json`. */
export const PAGE = join(PROJECT, 'docs', 'guides', 'benchmarks.md');

const BEGIN = '<!-- figures: written by `npm run bench` -->';
const END = '<!-- end of figures -->';

/** Returns the page's text with new tables between its two markers. Throws an `Error` if a marker is missing. */
export function withFigures(page: string, results: Results, order: readonly string[]): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} … ${END}`);
  const sections = order.flatMap((name) => {
    const measured = results[name];
    return measured === undefined ? [] : [section(name, measured)];
  });
  return [before + BEGIN, ...sections, END + after].join('\n\n');
}

export function writeFigures(results: Results, order: readonly string[]): void {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), results, order));
}

function section(name: string, { title, at, machine, figures, targets }: Measured): string {
  const { cores, processor, node, temporal } = machine;
  const facts = `\`${name}\`, ${at.slice(0, 10)}, ${cores} cores (${processor}), Node ${node}, ${temporal}.`;
  return [`**${title}.** ${facts}`, asMarkdown(tableOf(figures, targets))].join('\n\n');
}
