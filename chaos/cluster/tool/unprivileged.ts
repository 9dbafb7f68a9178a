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
  /** The same call, made as this user. */
  as(call: ProgramCall): ProgramCall;
}

/** Debian's package creates the first one. */
const USERS = ['postgres', 'nobody'];
const TIMEOUT_MS = 5_000;

/** The user for PostgreSQL, which refuses to run as root. Other users run it themselves. */
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
      // Both become the program, which keeps the process id. It may not be allowed to read the current folder.
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
