/** Returns the cells of each row of a page's table, as text. */
export function rowsOf(page: string, label: string): readonly (readonly string[])[] {
  const table = new RegExp(`aria-label="${label}" tabindex="0">(.*?)</table>`, 's').exec(page)?.[1] ?? '';
  const [, body = ''] = table.split('<tbody>');
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell.replaceAll(/<[^>]*>/g, '').trim(),
    ),
  );
}
