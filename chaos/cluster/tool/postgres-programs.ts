import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../src/temporal-server/run-command';
import { findPostgres } from './find-postgres';
import { unprivilegedUser, type ProgramCall, type ProgramUser } from './unprivileged';

const TIMEOUT_MS = 60_000;

/** Runs PostgreSQL's programs as a user that may run them, with the password of the database. */
export class PostgresPrograms {
  readonly #folder: string;
  readonly #user: ProgramUser;

  private constructor(
    folder: string,
    user: ProgramUser,
    readonly password: string,
  ) {
    this.#folder = folder;
    this.#user = user;
  }

  /** Finds the programs and the user. Throws an `Error` that says what is missing. */
  static async find(password: string): Promise<PostgresPrograms> {
    return new PostgresPrograms(await findPostgres(), await unprivilegedUser(), password);
  }

  /** Returns the command that runs a program as the user. Runs nothing. */
  call(name: string, args: readonly string[]): ProgramCall {
    return this.#user.as({ executable: join(this.#folder, name), args });
  }

  /** Runs a program to its end, and returns its output. */
  run(name: string, args: readonly string[], timeoutMs = TIMEOUT_MS): Promise<string> {
    const { executable, args: all } = this.call(name, args);
    const env = { ...process.env, PGPASSWORD: this.password };
    return runCommand({ file: executable, args: all, env, timeoutMs });
  }

  /** Makes a folder that belongs to the user. */
  async makeFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700 });
    await this.own(path);
  }

  /** Makes the user the owner of a file. */
  async own(path: string): Promise<void> {
    await chown(path, this.#user.uid, this.#user.gid);
  }
}
