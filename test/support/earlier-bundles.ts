import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** Bundles of earlier versions, kept by scripts/record-bundle.mjs. */
const BUNDLES = join(__dirname, '..', 'replay', 'bundles');

/** The workflow bundle of every earlier version, unpacked into a folder: their paths. */
export async function unpackEarlierBundles(folder: string): Promise<readonly string[]> {
  const names = await readdir(BUNDLES);
  return Promise.all(
    names.map(async (name) => {
      const code = await promisify(brotliDecompress)(await readFile(join(BUNDLES, name)));
      const bundlePath = join(folder, name.replace(/\.br$/, ''));
      await writeFile(bundlePath, code);
      return bundlePath;
    }),
  );
}
