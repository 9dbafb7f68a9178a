import { execFile } from 'node:child_process';
import { access, chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** An environment for the resolver that imitates another machine: nothing on the PATH, an empty home and an empty cache. */
export interface Isolation {
  readonly root: string;
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Puts a Node script on the PATH. */
  install(name: string, script: string): Promise<void>;
  /** Puts a program of the real machine on the PATH. */
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

/** A script that acts like the Temporal CLI as far as the resolver checks. */
export const FAKE_TEMPORAL = `console.log('temporal version 0.0.0-TEST');`;

/**
 * Returns a script that acts like `go install`: it connects to the gate and, when the gate closes the connection, writes
 * a fake Temporal CLI into GOBIN.
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

/** Makes an archive like the official download, whose only file is the script, and returns its path. */
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
