/**
 * Returns the sum of a counter's values in all lines of a Prometheus page that have this label. Returns 0 if no line
 * has it.
 */
export function counterSum(page: string, name: string, label: `${string}="${string}"`): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && new RegExp(`[{,]${label}[,}]`).test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
