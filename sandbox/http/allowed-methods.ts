interface Route {
  readonly method: string;
  readonly path: string;
}

/** Tells the methods that a path answers to, for `Allow`; `undefined` for a path that there is not. */
export function allowedMethodsOf(
  routes: Readonly<Record<string, Route>>,
): (pathname: string) => readonly string[] | undefined {
  const patterns = Object.values(routes).map(({ method, path }) => ({
    methods: methodsOf(method),
    pattern: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replace(/:\w+/, '[^/]*')}$`),
  }));
  return (pathname) => {
    const matching = patterns.filter(({ pattern }) => pattern.test(pathname));
    return matching.length === 0 ? undefined : matching.flatMap(({ methods }) => methods);
  };
}

/** A route that answers to GET answers to HEAD, too. */
export const methodsOf = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];
