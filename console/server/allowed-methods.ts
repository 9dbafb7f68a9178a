import type { FastifyInstance } from 'fastify';

/** Notes the routes that are added from here on; tells the methods that a path answers to, none of an unknown path. */
export function allowedMethods(app: FastifyInstance): (pathname: string) => readonly string[] {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, path }) => {
    const source = path
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]*' : part.replaceAll('.', String.raw`\.`)))
      .join('/');
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${source}$`) });
  });
  return (pathname) => {
    const methods = routes.filter(({ pattern }) => pattern.test(pathname)).flatMap((route) => route.methods);
    return [...new Set(methods)];
  };
}
