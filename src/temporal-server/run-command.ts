import { execFile } from 'node:child_process';
import { types } from 'node:util';

export interface Command {
  /** The path of a program, or a name that is searched on the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** The working folder. @default the working folder of this process */
  readonly cwd?: string;
  /** The user that runs the command. @default this process's user */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The maximum number of characters of a command's standard error that an error quotes. */
const TAIL_CHARACTERS = 2_000;

/**
 * Runs a command to its end. Returns its standard output, followed by its standard error. Kills the command after `timeoutMs`. If the
 * command fails, throws an `Error` that says how, and that quotes the end of its standard error.
 */
export function runCommand({ file, args, env, timeoutMs, cwd, user }: Command): Promise<string> {
  const options = {
    env,
    cwd,
    ...user,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const;
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(`${stdout}${stderr}`);
        return;
      }
      const tail = stderr.trim().slice(-TAIL_CHARACTERS);
      const outcome = describeFailure(error, timeoutMs);
      reject(new Error(`${file} ${outcome}${tail === '' ? '' : `: ${tail}`}`, { cause: error }));
    });
  });
}

type Failure = Parameters<NonNullable<Parameters<typeof execFile>[3]>>[0];

function describeFailure(error: NonNullable<Failure>, timeoutMs: number): string {
  if (error.code === 'ENOENT') return 'is not installed';
  if (error.killed === true) return `did not end within ${timeoutMs / 1_000} s`;
  return error.code == null ? `was ended by ${error.signal ?? 'a signal'}` : `failed (${error.code})`;
}

/** Returns the reason for a failure, in words. */
export function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
