// Markdown of the reference pages.

/** Returns a page of the reference. `intro` is the text under the page's title. */
export function page(title, intro, ...parts) {
  const note = '<!-- Written by `npm run docs:reference` from the code: change it there. -->';
  return [`# ${title}`, note, intro, ...parts].filter((part) => part !== '').join('\n\n') + '\n';
}

/** Returns a table of columns `[heading, cellOf]`. Columns without any value are left out. */
export function table(rows, columns) {
  const filled = columns.filter(([, cellOf]) => rows.some((row) => cellOf(row)));
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(filled.map(([heading]) => heading)),
    line(filled.map(() => '---')),
    ...rows.map((row) => line(filled.map(([, cellOf]) => cell(cellOf(row))))),
  ].join('\n');
}

/** Returns text as code; empty for no text. */
export const code = (text) => (text === undefined || text === '' ? '' : `\`${text}\``);

const cell = (text) =>
  String(text ?? '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
