// Markdown of the reference pages.

/** A page that a program writes; `intro` stands under its title. */
export function page(title, intro, ...parts) {
  const note = '<!-- Written by `npm run docs:reference` from the code: change it there. -->';
  return [`# ${title}`, note, intro, ...parts].filter((part) => part !== '').join('\n\n') + '\n';
}

/** A table of columns `[heading, cellOf]`; columns that no row has anything for are left out. */
export function table(rows, columns) {
  const filled = columns.filter(([, cellOf]) => rows.some((row) => cellOf(row)));
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(filled.map(([heading]) => heading)),
    line(filled.map(() => '---')),
    ...rows.map((row) => line(filled.map(([, cellOf]) => cell(cellOf(row))))),
  ].join('\n');
}

/** Text as code, or nothing. */
export const code = (text) => (text === undefined || text === '' ? '' : `\`${text}\``);

const cell = (text) =>
  String(text ?? '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
