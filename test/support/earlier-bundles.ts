import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** Bundles of released versions, kept by scripts/record-bundle.mjs. */
const BUNDLES = join(__dirname, '..', 'replay', 'bundles');

/** Unpacks the workflow bundle of every released version into a folder. Returns their paths; before the first release there are none. */
export async function unpackReleasedBundles(folder: string): Promise<readonly string[]> {
  return existsSync(BUNDLES) ? unpackBundles(BUNDLES, folder) : [];
}

/** Unpacks the bundles that scripts/record-bundle.mjs keeps in `from`. Returns their paths. */
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
