/** The sum of a counter over all lines of a Prometheus page that have this label; 0 where there is none. */
export function counterSum(page: string, name: string, label: `${string}="${string}"`): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && new RegExp(`[{,]${label}[,}]`).test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
