/** What the command line prints. Standard output carries the answer; progress and errors go to standard error. */

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** One JSON value a line, for answers that come one by one. */
export function printJsonLine(value: unknown): void {
  printLine(JSON.stringify(value));
}

export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Rows in columns as wide as their widest cell. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

/** `Completed EFT0301`, or the status alone. */
export function formatState(state: { readonly status?: string; readonly code?: string }): string {
  return [state.status ?? 'creating', state.code].filter((part) => part !== undefined).join(' ');
}
