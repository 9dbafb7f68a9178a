/**
 * The package's optional dependencies: web server, database, locks and command-line parser. A worker and a client use none
 * of them, so that a production install may leave them out (`npm install --omit=optional`).
 */
const OPTIONAL_PACKAGES = ['classic-level', 'commander', 'fastify', 'proper-lockfile'];

/**
 * Throws an error with Node's own code `MODULE_NOT_FOUND` that says what to install, unless all of them are there.
 * A part that needs them calls it in a module that it imports before all others.
 */
export function needOptionalPackages(part: string): void {
  const missing = OPTIONAL_PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const message =
    `${part} needs packages that are not installed: ${missing.join(', ')}. ` +
    'They are optional dependencies of paysession; install them too (npm install --include=optional).';
  throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' });
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
