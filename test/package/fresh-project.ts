import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../support/docs/snippets';
import { pack, run, type Printed } from './consumer-project';

/** A user's new project, into which a package manager installs from the registry. */
export interface FreshProject {
  readonly folder: string;
  /**
   * Runs a command as the docs print it. If the command installs the package's name, it installs the packed file.
   * Returns the output, or throws it if the command fails.
   */
  command(line: string): Promise<string>;
  /** Runs a program of the project. Returns its output, even if it failed. */
  run(program: string, ...args: readonly string[]): Promise<Printed>;
  /** Sets the `type` in the project's package.json, which determines its files' module system. */
  setType(type: 'commonjs' | 'module'): Promise<void>;
  /** Writes files to the project, by their names. */
  write(files: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** The package in commands of the docs: its name, or its tarball. */
const PACKAGE = /^(paysession|\.\/paysession-\S+\.tgz)$/;

/** The README's command that installs the package. */
export const README_INSTALL = commandOf('README.md', /^npm install (\.\/)?paysession\S* @/);

/** The replacement of a package manager's name in a command: a program, and options from the tests. */
export type PackageManagers = Readonly<Record<string, readonly string[]>>;

/** Returns the pnpm form of an npm command of the README. */
export const withPnpm = (line: string): string =>
  line.replace(/^npm install /, 'pnpm add ').replace(/^npx /, 'pnpm exec ');

/** Creates a project whose files are CommonJS modules. */
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
