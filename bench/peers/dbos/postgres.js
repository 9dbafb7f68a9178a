import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { freePort, startProgram, untilReady } from '../shared/processes.js';

const run = promisify(execFile);

/** Debian and Ubuntu install PostgreSQL's programs here, in a folder for each version. */
const VERSIONS = '/usr/lib/postgresql';

const INITDB_FLAGS = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'];

/**
 * Starts a new PostgreSQL server with the defaults. Its data is in the folder. It listens only on 127.0.0.1.
 *
 * @param {string} folder
 */
export async function startPostgres(folder) {
  const binaries = await binariesOfNewest();
  const owner = await ownerOfCluster();
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner !== undefined) await chown(passwordFile, owner.uid, owner.gid);
  await run(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, ...INITDB_FLAGS],
    { ...owner, cwd: folder },
  );
  await rm(passwordFile);

  const port = await freePort();
  const program = startProgram(
    join(binaries, 'postgres'),
    ['-D', data, '-p', `${port}`, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    { ...owner, cwd: folder },
  );
  await untilReady(program, () => program.output().includes('ready to accept connections'));
  const { stdout } = await run(join(binaries, 'postgres'), ['--version']);
  return {
    pid: program.child.pid ?? NaN,
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/payments`,
    version: stdout.trim().replace(/^\D*/, ''),
  };
}

async function binariesOfNewest() {
  const versions = await readdir(VERSIONS).catch(() => []);
  const [newest] = versions.toSorted((one, other) => Number(other) - Number(one));
  if (newest === undefined) {
    throw new Error(
      `No PostgreSQL in ${VERSIONS}: install it with "apt-get install postgresql" and try again.`,
    );
  }
  return join(VERSIONS, newest, 'bin');
}

/**
 * Returns the user that runs the server, or `undefined` for the current user. PostgreSQL refuses to run as root, so
 * root uses the user of Debian's package.
 */
async function ownerOfCluster() {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}
