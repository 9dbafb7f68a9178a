import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** An environment like that of a new machine, in which a Temporal server is searched for: empty PATH, home and cache. */
export interface Isolation {
  readonly root: string;
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Puts a Node script on the PATH. */
  install(name: string, script: string): Promise<void>;
  /** Adds a program of the real machine to the PATH. */
  borrow(name: string): Promise<void>;
  remove(): Promise<void>;
}

export async function isolate(): Promise<Isolation> {
  const root = await mkdtemp(join(tmpdir(), 'paysession-temporal-'));
  const bin = join(root, 'bin');
  const cacheFolder = join(root, 'cache');
  await mkdir(bin);
  return {
    root,
    cacheFolder,
    env: { PATH: bin, HOME: root, PAYSESSION_CACHE_DIR: cacheFolder },
    install: (name, script) => writeScript(join(bin, name), script),
    borrow: async (name) => {
      await symlink(await findOnRealPath(name), join(bin, name));
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Writes an executable Node script. */
export async function writeScript(path: string, script: string): Promise<void> {
  await writeFile(path, `#!${process.execPath}\n${script}`);
  await chmod(path, 0o755);
}

/** A script that prints a version as the Temporal CLI does. `resolveTemporalServer` checks only that. */
export const FAKE_TEMPORAL = `console.log('temporal version 0.0.0-TEST');`;

/**
 * Returns a script in place of `go install`. It connects to the gate, and waits until the gate closes the connection. Then it writes a
 * fake Temporal CLI into GOBIN.
 */
export function fakeGo(gatePort: number): string {
  return `
const { writeFileSync } = require('node:fs');
const gate = require('node:net').connect(${gatePort}, '127.0.0.1');
gate.resume().once('close', () => {
  const script = '#!' + process.execPath + '\\n' + ${JSON.stringify(FAKE_TEMPORAL)};
  writeFileSync(process.env.GOBIN + '/temporal', script, { mode: 0o755 });
});
`;
}

/** Makes an archive in the format of the official download, with the script as its only file. Returns its path. */
export async function makeArchive(folder: string, name: string, script: string): Promise<string> {
  const archive = join(folder, 'official.tar.gz');
  await writeScript(join(folder, name), script);
  await promisify(execFile)('tar', ['-czf', archive, '-C', folder, name]);
  return archive;
}

async function findOnRealPath(name: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    const exists = await access(candidate).then(
      () => true,
      () => false,
    );
    if (exists) return candidate;
  }
  throw new Error(`this machine has no ${name}`);
}
