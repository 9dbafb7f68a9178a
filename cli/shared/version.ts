import { readFileSync } from 'node:fs';

/** The package's own version, by its own name: the same file from the source and from the build. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(require.resolve('paysession/package.json'), 'utf8'));
  return (manifest as { readonly version: string }).version;
}
