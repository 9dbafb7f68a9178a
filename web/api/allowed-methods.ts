/** A route of a server: its path has parameters such as `:key`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** The methods that the path of a URL answers to, for `Allow`; none for a path that there is not. */
export function allowedMethods(routes: readonly Route[], url: string): readonly string[] {
  const [pathname = ''] = url.split('?');
  const matching = routes.filter(({ path }) => patternOf(path).test(pathname));
  return [...new Set(matching.flatMap(({ method }) => methodsOf(method)))];
}

/** A route that answers to GET answers to HEAD, too. */
export const methodsOf = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/:\w+/g, '[^/]*')}$`);
