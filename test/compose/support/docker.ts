import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { PROJECT } from '../../support/compose/load-compose';

/** The name of the tests' Compose project. It separates their containers and volumes from an installation on this machine. */
export const PROJECT_NAME = 'paysession-test';

const PASSWORDS = [
  'POSTGRES_PASSWORD',
  'LEDGER_OWNER_PASSWORD',
  'LEDGER_WORKER_PASSWORD',
  'LEDGER_KEEPER_PASSWORD',
];

/**
 * The environment of Compose: this process's variables without the settings of an installation, and new passwords. Compose ignores the file
 * `.env`.
 */
export const environment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PAYSESSION|TEMPORAL|GRAFANA)_/.test(name)),
  ),
  ...Object.fromEntries(PASSWORDS.map((name) => [name, randomBytes(24).toString('hex')])),
  COMPOSE_PROJECT_NAME: PROJECT_NAME,
  COMPOSE_DISABLE_ENV_FILE: 'true',
};

export interface Done {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the repository's folder. Resolves with its exit code and output, even if it fails. */
export function run(program: string, args: readonly string[], env = environment): Promise<Done> {
  return new Promise((resolve, reject) => {
    const options = { cwd: PROJECT, env, maxBuffer: 2 ** 26 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
      else reject(new Error(`${program} cannot be run`, { cause: error }));
    });
  });
}

/** Runs `docker` with arguments. Resolves with its standard output. If `docker` fails, rejects with all its output. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('docker', args);
  if (code !== 0) throw new Error(`docker ${args.join(' ')} has failed (${code}):\n${stdout}${stderr}`);
  return stdout;
}

export const compose = (...args: readonly string[]): Promise<string> => docker('compose', ...args);
