/** Reads CSV strictly by the rules of RFC 4180, and throws if the text breaks one. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [cell = '', quoted, plain, end] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? refuse(rest);
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(cell.length);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('The last line has no end.');
  return rows;
}

function refuse(rest: string): never {
  throw new Error(`This is not a cell of CSV: ${JSON.stringify(rest.slice(0, 80))}`);
}
