import { tmpdir } from 'node:os';
import { isAbsolute } from 'node:path';
import { run } from './consumer-project';
import type { FreshProject } from './fresh-project';

/** The versions of Node that the package supports. */
export const NODE_VERSIONS = [20, 22, 24] as const;

/** The package’s subpaths for production. `ALL` also has those for tests. */
export const PRODUCTION = ['', '/activities', '/contract', '/embed', '/nexus', '/worker', '/workflows'];
export const ALL = [...PRODUCTION, '/sandbox', '/testing', '/testing/jest', '/testing/vitest'];

/** Returns a script that requires and imports these subpaths. It prints the version of Node and the number of loaded subpaths. */
export const loading = (subpaths: readonly string[]): string => `
  const paths = ${JSON.stringify(subpaths.map((path) => `paysession${path}`))};
  for (const path of paths) require(path);
  Promise.all(paths.map((path) => import(path))).then((modules) => {
    console.log(process.version.split('.')[0], modules.length);
    process.exit();
  });`;

/** Loads all subpaths with this version of Node, and returns the output. */
export async function loadOn(version: number, project: FreshProject): Promise<string> {
  await project.write(new Map([['load.cjs', loading(ALL)]]));
  const { output } = await project.run(...(await nodeOf(version)), 'load.cjs');
  return output;
}

/** A program that runs scripts, and its options. */
export type Runtime = readonly [program: string, ...args: readonly string[]];

/** Deno and Bun, run from the npm packages `deno` and `bun`. */
export const DENO: Runtime = ['npx', '-y', 'deno@2', 'run', '-A'];
export const BUN: Runtime = ['npx', '-y', 'bun@1'];

/** Returns a program for this version of Node: the running one, or one from the npm package `node`. */
export async function nodeOf(version: number): Promise<Runtime> {
  if (process.version.startsWith(`v${version}.`)) return [process.execPath];
  const args = ['-y', '-p', `node@${version}`, 'node', '-p', 'process.execPath'];
  const { ok, output } = await run('npx', args, tmpdir());
  const program = output.split('\n').find((line) => isAbsolute(line));
  if (!ok || program === undefined) throw new Error(output);
  return [program];
}
