import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';
import { readCacheFolder } from '../../src/settings/temporal-server-settings';

/**
 * Keeps bundles of a test's own workflows in a cache folder. Bundling takes a second or more, so a world uses a kept bundle if none of the
 * bundle's inputs has changed.
 */

/** The workflows to bundle: options of Temporal's `bundleWorkflowCode`. */
export type BundleSources = Pick<BundleOptions, 'workflowsPath' | 'failureConverterPath'>;

export interface WorkflowBundlesOptions {
  /** The folder that keeps the bundles. @default `bundles` in the package's cache folder */
  readonly folder?: string;
  /** Receives a line if a bundle cannot be kept. */
  readonly onProgress: (line: string) => void;
}

/** A kept bundle and its inputs. The bundle is valid until one of the inputs changes. */
interface Kept {
  /** Digests of the files that the bundler read, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Paths where the bundler looked for a file and found none. If a file appears there, the bundler may use it instead of another file. */
  readonly missing: readonly string[];
  readonly code: string;
}

/** The maximum number of bundles that a folder keeps. The oldest bundles are removed. */
const MOST_KEPT = 20;

/** The bundles that this process currently reads or makes, by path. Worlds that start at the same time share them. */
const making = new Map<string, Promise<string>>();

/**
 * Returns the bundle of workflows. If there is a kept bundle and none of its inputs has changed, returns that bundle. Otherwise makes a new
 * bundle and keeps it. The inputs are the sources, their imports, Temporal's SDK, this package and Node. Rejects with the bundler's error.
 */
export async function workflowBundle(
  sources: BundleSources,
  { folder = join(readCacheFolder(), 'bundles'), onProgress }: WorkflowBundlesOptions,
): Promise<{ readonly code: string }> {
  const path = join(folder, nameOf(sources));
  const made = making.get(path) ?? keptOrMade().finally(() => making.delete(path));
  making.set(path, made);
  return { code: await made };

  async function keptOrMade(): Promise<string> {
    return (await readKept(path)) ?? makeAndKeep(sources, path, onProgress);
  }
}

function nameOf(sources: BundleSources): string {
  const { NODE_ENV } = process.env;
  const made = [sources, process.cwd(), process.version, NODE_ENV, toolVersions()];
  return `${digestOf(JSON.stringify(made))}.json`;
}

/** Returns the versions of the tools that make a bundle. */
function toolVersions(): readonly string[] {
  const fromWorker = createRequire(require.resolve('@temporalio/worker'));
  const manifests = [
    require.resolve('paysession/package.json'),
    require.resolve('@temporalio/worker/package.json'),
    ...['webpack', 'swc-loader', '@swc/core'].map((name) => fromWorker.resolve(`${name}/package.json`)),
  ];
  return manifests.map((path) => (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version);
}

async function readKept(path: string): Promise<string | undefined> {
  const kept = await parseKept(path);
  if (kept === undefined || kept.missing.some((absent) => existsSync(absent))) return undefined;
  const now = await digestsOf(Object.keys(kept.files));
  return Object.entries(kept.files).every(([file, digest]) => now[file] === digest) ? kept.code : undefined;
}

/** Reads a kept bundle. Returns `undefined` if the file does not exist or is incomplete. */
async function parseKept(path: string): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

async function makeAndKeep(
  sources: BundleSources,
  path: string,
  onProgress: WorkflowBundlesOptions['onProgress'],
): Promise<string> {
  const startedAtMs = Date.now();
  let read: readonly string[] = [];
  let missing: readonly string[] = [];
  const noting: BundleOptions['webpackConfigHook'] = (config) => ({
    ...config,
    plugins: [
      ...(config.plugins ?? []),
      {
        apply: ({ hooks }) => {
          hooks.done.tap('paysession', ({ compilation }) => {
            read = [...compilation.fileDependencies];
            missing = [...compilation.missingDependencies];
          });
        },
      },
    ],
  });
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflowCode({ ...sources, logger, webpackConfigHook: noting });
  try {
    const found = await sortOut([...read, ...configurations(read)], startedAtMs);
    if (found !== undefined) {
      const files = await digestsOf(found.files);
      await keep(path, { files, missing: [...new Set([...missing, ...found.missing])], code });
    }
  } catch (error) {
    onProgress(`The workflow bundle is made again each time, since it cannot be kept: ${String(error)}`);
  }
  return code;
}

/**
 * Sorts paths into files that exist and files that are missing. If a file was changed after the build began, the build may have read the old
 * or the new version of that file, so the function returns `undefined`.
 */
async function sortOut(
  paths: readonly string[],
  startedAtMs: number,
): Promise<{ readonly files: readonly string[]; readonly missing: readonly string[] } | undefined> {
  const files: string[] = [];
  const missing: string[] = [];
  for (const path of new Set(paths)) {
    const found = await stat(path).catch(() => undefined);
    // The bundle's entry point is among the missing files, because the SDK writes it only in memory.
    if (found === undefined) missing.push(path);
    // A folder is not an input, because it changes whenever any file in it changes. Files missing in a folder are listed by their own paths.
    if (found?.isFile() !== true) continue;
    if (found.ctimeMs >= startedAtMs) return undefined;
    files.push(path);
  }
  return { files, missing };
}

/**
 * Returns the paths at which swc looks for its configuration: `.swcrc` in the folders of the sources, in the working folder, and in all
 * folders above them. Webpack does not list these files.
 */
function configurations(sources: readonly string[]): string[] {
  const folders = new Set<string>();
  const own = sources.filter((path) => !path.includes('node_modules')).map((path) => dirname(path));
  for (const start of [process.cwd(), ...own]) {
    for (let folder = start; !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].map((folder) => join(folder, '.swcrc'));
}

async function digestsOf(paths: readonly string[]): Promise<Record<string, string>> {
  const digests = paths.map(async (path): Promise<[string, string]> => {
    const content = await readFile(path).catch(() => undefined);
    return [path, content === undefined ? '' : digestOf(content)];
  });
  return Object.fromEntries(await Promise.all(digests));
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Writes a bundle to the cache folder. The file appears in one step, because another process may be reading it. */
async function keep(path: string, kept: Kept): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const whole = `${path}.${process.pid}`;
  await writeFile(whole, JSON.stringify(kept), { mode: 0o600 });
  await rename(whole, path);
  await removeOldest(folder);
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  const aged = names.map(async (name) => {
    const path = join(folder, name);
    return { path, writtenAtMs: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
  });
  const newestFirst = (await Promise.all(aged)).sort((one, other) => other.writtenAtMs - one.writtenAtMs);
  await Promise.all(newestFirst.slice(MOST_KEPT).map(({ path }) => rm(path, { force: true })));
}
