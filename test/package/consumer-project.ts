import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testBundle } from '../support/setup/global-values';

const ROOT = join(__dirname, '..', '..');
const FILES = join(__dirname, 'consumer');

/** A user’s project. Its `node_modules` has the packed package, and only those other packages that the user may have. */
export interface ConsumerProject {
  readonly folder: string;
  /** The paths of all files in the packed package. */
  readonly packed: readonly string[];
  /** The installed package’s package.json. */
  readonly manifest: Manifest;
  /** Runs `node` with these arguments in the project. Returns the output, also if the program fails. */
  node(...args: readonly string[]): Promise<Printed>;
  close(): Promise<void>;
}

/** The target of a condition, such as `import`, of a subpath in `exports`. */
interface Target {
  readonly types: string;
}

export interface Manifest {
  readonly exports: Readonly<Record<string, string | Target | { readonly default: Target }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Printed {
  readonly ok: boolean;
  readonly output: string;
}

/** The packages that the user’s project itself uses. */
const OWN = ['@types/node', 'typescript'];

/**
 * Packs the built package and installs it in a new project, without a registry. Its declared dependencies become links to this
 * repository’s packages. All other packages are missing. `omit` leaves out optional dependencies and optional peers: with
 * `'optional'`, all of them but the `chosen` ones, as `npm install --omit=optional` does; with a list, only the named ones, as npm
 * does if an optional dependency cannot be installed.
 */
export async function createConsumerProject({
  omit = [],
  chosen = [],
}: {
  readonly omit?: 'optional' | readonly string[];
  readonly chosen?: readonly string[];
} = {}): Promise<ConsumerProject> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-consumer-'));
  const installed = join(folder, 'node_modules', 'paysession');
  try {
    const packed = await pack(folder);
    await mkdir(installed, { recursive: true });
    await run(
      'tar',
      ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1'],
      folder,
    );
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest;
    const { dependencies, optionalDependencies } = manifest;
    const isOmitted = (name: string) => (omit === 'optional' ? !chosen.includes(name) : omit.includes(name));
    const peers = Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true || !isOmitted(name),
    );
    const optional = Object.keys(optionalDependencies).filter((name) => !isOmitted(name));
    const declared = [...Object.keys(dependencies), ...peers, ...optional];
    for (const name of [...declared, ...OWN]) await link(folder, name);
    await cp(FILES, folder, { recursive: true });
    return {
      folder,
      packed: packed.files.map(({ path }) => path),
      manifest,
      node: (...args) => run(process.execPath, args, folder),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the path of a file in this repository’s `node_modules`, such as a compiler. */
export const tool = (...path: readonly string[]): string => join(ROOT, 'node_modules', ...path);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Copies the packed package into a folder. All test files of a run share one packed package. */
export async function pack(destination: string): Promise<Packed> {
  const shared = join(dirname(testBundle()), 'packed');
  if (!existsSync(shared)) await packInto(shared);
  const packed = JSON.parse(await readFile(join(shared, 'packed.json'), 'utf8')) as Packed;
  await copyFile(join(shared, packed.filename), join(destination, packed.filename));
  return packed;
}

/** Packs the package into a new folder. If another test file has packed it meanwhile, keeps that file's package. */
async function packInto(shared: string): Promise<void> {
  const folder = await mkdtemp(`${shared}-`);
  const args = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as readonly Packed[];
  await writeFile(join(folder, 'packed.json'), JSON.stringify(packed));
  await rename(folder, shared).catch((error: unknown) => {
    if (!existsSync(shared)) throw error;
  });
}

async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(ROOT, 'node_modules', name), path);
}

/** Runs a program with the environment of a user. Returns its output, also if the program fails. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<Printed> {
  // The user’s own tests must not see Jest’s variables of this test, and must print without colours.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^((TESTING_)?PAYSESSION_(?!CACHE_DIR)|TEMPORAL_|JEST_|NODE_OPTIONS|NODE_TEST|VITEST|FORCE_COLOR)/.test(
          name,
        ),
    ),
  );
  return promisify(execFile)(program, args, { cwd, env: { ...env, NO_COLOR: '1' } }).then(
    ({ stdout, stderr }) => ({ ok: true, output: stdout + stderr }),
    (error: unknown) => {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
      return { ok: false, output: `${stdout}${stderr}` };
    },
  );
}
