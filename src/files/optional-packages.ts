import { readFileSync } from 'node:fs';

/**
 * A part needs optional dependencies that are not installed: web server, database, locks or command-line parser. A worker
 * and a client use none of them, so that a production install may leave them out (`npm install --omit=optional`).
 */
export class MissingPackagesError extends Error {
  override readonly name = 'MissingPackagesError';
  /** Node's own code. */
  readonly code = 'MODULE_NOT_FOUND';

  constructor(part: string, missing: readonly string[], remedy: string) {
    super(`${part} needs packages that are not installed: ${missing.join(', ')}. ${remedy}`);
  }
}

const INCLUDE_OPTIONAL =
  'They are optional dependencies of paysession; install them too (npm install --include=optional).';

/**
 * Throws `MissingPackagesError`, which says what to install, unless all of the packages are there. A part calls it before
 * it loads them: npm passes over an optional package in silence where it cannot be installed.
 */
export function needOptionalPackages(part: string, names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw new MissingPackagesError(part, missing, INCLUDE_OPTIONAL);
}

/** The same for packages that users choose and install themselves, the optional peers of paysession. */
export function needPeerPackages(part: string, names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw new MissingPackagesError(part, missing, installThem(missing));
}

/**
 * The same for packages of Temporal, which work together in one minor version alone: that of its worker, or else of its client. A
 * package manager may have chosen another one for those that nobody asked for by name.
 */
export function needTemporalPackages(part: string, names: readonly string[]): void {
  const version = versionOf('@temporalio/worker') ?? versionOf('@temporalio/client');
  const missing = names.filter(
    (name) => version === undefined || minorOf(versionOf(name)) !== minorOf(version),
  );
  if (missing.length === 0) return;
  const wanted = missing.map((name) => (version === undefined ? name : `${name}@${version}`));
  throw new MissingPackagesError(part, wanted, installThem(wanted));
}

const installThem = (packages: readonly string[]): string =>
  `Install them: npm install ${packages.join(' ')}`;

const minorOf = (version: string | undefined): string | undefined => version?.split('.', 2).join('.');

function versionOf(name: string): string | undefined {
  const manifest = `${name}/package.json`;
  if (!isInstalled(manifest)) return undefined;
  return (JSON.parse(readFileSync(require.resolve(manifest), 'utf8')) as { readonly version: string })
    .version;
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
