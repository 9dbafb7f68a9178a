// Prints the package's software bill of materials (CycloneDX): all dependencies and peers in `package-lock.json`. The same lock file always
// produces the same bytes. With --check, compares the lock file with the installed packages and prints the differences. The repository's
// folder may be given as an argument. Default: this repository.
import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const options = process.argv.slice(2);
const root = resolve(
  options.find((word) => word !== '--check') ?? fileURLToPath(new URL('..', import.meta.url)),
);
const { packages } = json('package-lock.json');

if (options.includes('--check')) {
  const differences = [...missingInTree(), ...notInLockFile()];
  for (const difference of differences) console.error(difference);
  if (differences.length > 0) process.exitCode = 1;
  else console.log(`${components().size} packages of the bill of materials are those that are installed`);
} else {
  console.log(JSON.stringify(billOfMaterials(), null, 2));
}

function billOfMaterials() {
  const { name, version, license } = packages[''];
  const entries = [...components()].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { ...identity(name, version), type: 'library', licenses: [{ license: { id: license } }] },
    },
    components: entries.map(([path, scope]) => componentOf(path, scope)),
    dependencies: ['', ...entries.map(([path]) => path)].map((path) => ({
      ref: referenceOf(path),
      dependsOn: [...new Set(neededBy(path).map(({ path: needed }) => referenceOf(needed)))].sort(),
    })),
  };
}

function componentOf(path, scope) {
  const { version, license, integrity } = packages[path];
  const [algorithm, digest] = integrity.split('-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  return {
    ...identity(nameOf(path), version),
    // The reference is the path, because two folders may contain the same version of a package.
    'bom-ref': path,
    type: 'library',
    scope,
    hashes: [{ alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content }],
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}

function identity(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': purl, name, version, purl };
}

function referenceOf(path) {
  return path === '' ? identity(packages[''].name, packages[''].version)['bom-ref'] : path;
}

/** Returns the packages in the lock file that this package needs. The scope of each says if an install may leave it out. */
function components() {
  const found = new Map();
  const queue = [{ path: '', optional: false }];
  for (const { path, optional } of queue)
    for (const next of neededBy(path)) {
      const scope = optional || next.optional ? 'optional' : 'required';
      if (found.get(next.path) === 'required' || found.get(next.path) === scope) continue;
      found.set(next.path, scope);
      queue.push({ path: next.path, optional: scope === 'optional' });
    }
  return found;
}

/** Returns the packages that a package needs: its dependencies and peers, and those optional ones that are in the lock file. */
function neededBy(from) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[from];
  const { peerDependenciesMeta = {} } = packages[from];
  const isOptional = (name) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
    const path = pathOf(name, from);
    if (path !== undefined) return [{ path, optional: isOptional(name) }];
    if (isOptional(name)) return [];
    throw new Error(`package-lock.json has no ${name}, which ${from} needs`);
  });
}

/** Returns the path at which a package finds another package: in its own `node_modules`, or in the `node_modules` of a folder above. */
function pathOf(name, from) {
  const folders = from.split(/(?<=^|\/)node_modules\//).slice(1);
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const above = folders.slice(0, depth).map((folder) => `node_modules/${folder.replace(/\/$/, '')}`);
    const path = [...above, `node_modules/${name}`].join('/');
    if (path in packages) return path;
  }
  return undefined;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/**
 * Returns the packages of the bill that are not installed as the lock file says: they are missing, or have another version or other
 * contents. Compares with npm's own record of the install.
 */
function missingInTree() {
  const installed = json('node_modules/.package-lock.json').packages;
  return [...components()].flatMap(([path, scope]) => {
    if (!existsSync(join(root, path))) return scope === 'optional' ? [] : [`${path} is not installed`];
    const { version } = json(`${path}/package.json`);
    if (version !== packages[path].version)
      return [`${path} is ${version}, and ${packages[path].version} in package-lock.json`];
    return installed[path]?.integrity === packages[path].integrity
      ? []
      : [`${path} was installed from something else`];
  });
}

/** Returns installed packages that are not in the lock file. */
function notInLockFile(folder = 'node_modules') {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).filter((name) => !name.startsWith('.'));
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (name.startsWith('@')) return notInLockFile(path);
    if (!existsSync(join(root, path, 'package.json'))) return [];
    return [
      ...(path in packages ? [] : [`${path} is not in package-lock.json`]),
      ...notInLockFile(join(path, 'node_modules')),
    ];
  });
}

function json(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
