import { execFileSync } from 'node:child_process';

/** Formats a file as `npm run format` does. */
export function formatFile(path: string): void {
  execFileSync('npx', ['oxfmt', path]);
}
