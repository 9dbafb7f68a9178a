import { runCommand } from '../../../src/temporal-server/run-command';

/** A program and its arguments. */
export interface ProgramCall {
  readonly executable: string;
  readonly args: readonly string[];
}

/** The user that PostgreSQL runs as. */
export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
  /** Returns the call that runs the same program as this user. */
  as(call: ProgramCall): ProgramCall;
}

/** The users to try, in this order. Debian's package of PostgreSQL creates `postgres`. */
const USERS = ['postgres', 'nobody'];
const TIMEOUT_MS = 5_000;

/**
 * Returns the user that PostgreSQL runs as. This is the user of this process. PostgreSQL refuses to run as root, so if this process runs as
 * root, another user is chosen.
 */
export async function unprivilegedUser(): Promise<ProgramUser> {
  const { getuid, getgid } = process;
  if (getuid === undefined || getgid === undefined) throw new Error('A cluster needs a POSIX system.');
  if (getuid() !== 0) return { uid: getuid(), gid: getgid(), as: (call) => call };
  for (const name of USERS) {
    const ids = await idsOf(name).catch(() => undefined);
    if (ids === undefined) continue;
    const { uid, gid } = ids;
    const change = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    return {
      uid,
      gid,
      // `setpriv` and `env` replace themselves with the program, so the process id stays the same. `--chdir` is needed because the user may
      // not be allowed to read the current folder.
      as: ({ executable, args }) => ({
        executable: 'setpriv',
        args: [...change, 'env', '--chdir=/', executable, ...args],
      }),
    };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${USERS.join(' or ')}.`);
}

async function idsOf(name: string): Promise<{ readonly uid: number; readonly gid: number }> {
  const id = async (flag: string) =>
    Number(await runCommand({ file: 'id', args: [flag, name], env: process.env, timeoutMs: TIMEOUT_MS }));
  return { uid: await id('-u'), gid: await id('-g') };
}
