const LONGEST_PATH = 2_000;
const BASE = 'http://console.invalid';

/**
 * A path of the console to go on to, out of what a query says: `/` for anything that leads elsewhere. It is judged as a
 * browser will read it, for `/\evil.example` and `/..//evil.example` lead to other hosts.
 */
export function safePath(text: string | undefined): string {
  if (text === undefined || text.length > LONGEST_PATH || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text))
    return '/';
  if (!URL.canParse(text, BASE)) return '/';
  const { origin, pathname, search } = new URL(text, BASE);
  // Nor back to the login: it would go on for ever.
  const isPage = !pathname.startsWith('//') && !/^\/log(in|out|ged-out)(\/|$)/.test(pathname);
  return origin === BASE && isPage ? pathname + search : '/';
}
