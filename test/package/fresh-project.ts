import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../support/docs/snippets';
import { pack, run, type Printed } from './consumer-project';

/** A user’s new project. A package manager installs packages from the registry into it. */
export interface FreshProject {
  readonly folder: string;
  /**
   * Runs a command as the docs print it. If the command installs `paysession`, it installs the packed file instead. Resolves with the
   * output. If the command fails, rejects with the output.
   */
  command(line: string): Promise<string>;
  /** Runs a program in the project. Returns its output, also if the program fails. */
  run(program: string, ...args: readonly string[]): Promise<Printed>;
  /** Sets `type` in the project’s package.json: the module system of its files. */
  setType(type: 'commonjs' | 'module'): Promise<void>;
  /** Writes files to the project, by their names. */
  write(files: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** Matches the package in commands of the docs: its name or its tarball. */
const PACKAGE = /^(paysession|\.\/paysession-\S+\.tgz)$/;

/** The README's command that installs the package. */
export const README_INSTALL = commandOf('README.md', /^npm install (\.\/)?paysession\S* @/);

/** For the name of a package manager in a command: the program and the options that the tests use for it. */
export type PackageManagers = Readonly<Record<string, readonly string[]>>;

/** Translates an npm command of the README to pnpm. */
export const withPnpm = (line: string): string =>
  line.replace(/^npm install /, 'pnpm add ').replace(/^npx /, 'pnpm exec ');

/** Creates a project. Its files are CommonJS modules until `setType` is called. */
export async function createFreshProject(managers: PackageManagers): Promise<FreshProject> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-fresh-'));
  const { filename } = await pack(folder);
  const manifest = join(folder, 'package.json');
  await writeFile(manifest, JSON.stringify({ name: 'shop', private: true, type: 'commonjs' }));
  return {
    folder,
    command: async (line) => {
      const [name = '', ...words] = line.split(' ');
      const [program = name, ...options] = managers[name] ?? [];
      const args =
        name in managers && ['install', 'add'].includes(words[0] ?? '')
          ? words.map((word) => (PACKAGE.test(word) ? join(folder, filename) : word))
          : words;
      const { ok, output } = await run(program, [...options, ...args], folder);
      if (!ok) throw new Error(`${line}\n${output}`);
      return output;
    },
    setType: async (type) => {
      const content = JSON.parse(await readFile(manifest, 'utf8')) as object;
      await writeFile(manifest, JSON.stringify({ ...content, type }));
    },
    run: (program, ...args) => run(program, args, folder),
    write: async (files) => {
      for (const [name, text] of files) await writeFile(join(folder, name), text);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
