import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** The folder of the released versions' bundles, which scripts/record-bundle.mjs writes. */
const BUNDLES = join(__dirname, '..', 'replay', 'bundles');

/** Unpacks the workflow bundles of all released versions into a folder, and returns their paths. Before the first release, there is none. */
export async function unpackReleasedBundles(folder: string): Promise<readonly string[]> {
  return existsSync(BUNDLES) ? unpackBundles(BUNDLES, folder) : [];
}

/** Unpacks the bundles that scripts/record-bundle.mjs has written to `from` into `folder`. Returns their paths. */
export async function unpackBundles(from: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(from);
  return Promise.all(
    names.map(async (name) => {
      const code = await promisify(brotliDecompress)(await readFile(join(from, name)));
      const bundlePath = join(folder, name.replace(/\.br$/, ''));
      await writeFile(bundlePath, code);
      return bundlePath;
    }),
  );
}
