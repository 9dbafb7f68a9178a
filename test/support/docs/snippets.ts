import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '..', '..', '..');

/** The compiler that builds the package. npm’s link `tsc` may lead to the older one, which some tools need. */
export const TSC = join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc');

/** The pages with snippets, as paths in this repository. */
export const PAGES = ['README.md', ...pagesUnder('docs')];

/** Returns the Markdown pages of a folder and its subfolders, as paths in this repository. */
export function pagesUnder(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true });
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}

export interface Snippet {
  /** The file that a comment before the block names; `undefined` if there is none. */
  readonly name: string | undefined;
  readonly language: string;
  readonly code: string;
}

/** Returns the code blocks of a page, without the indentation of lists. */
export function snippetsOf(page: string): readonly Snippet[] {
  const markdown = readFileSync(join(ROOT, page), 'utf8');
  const blocks = markdown.matchAll(/^( *)(?:<!-- file: (\S+) -->\n\n *)?```(\w+)\n([\s\S]*?)^ *```$/gm);
  return Array.from(blocks, ([, indent = '', name, language = '', code = '']) => ({
    name,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Returns the files that a page names, with their contents. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(snippetsOf(page).flatMap(({ name, code }) => (name === undefined ? [] : [[name, code]])));
}

/** Returns the commands of a page, one per line of its shell blocks, in order. */
export function commandsOf(page: string): readonly string[] {
  const shell = snippetsOf(page).filter(({ language }) => language === 'sh');
  return shell.flatMap(({ code }) => code.trim().split('\n'));
}

/** Returns the page’s command that matches. Throws if not exactly one command matches. */
export function commandOf(page: string, pattern: RegExp): string {
  const [command, ...others] = commandsOf(page).filter((line) => pattern.test(line));
  if (command === undefined || others.length > 0) throw new Error(`${page}: not one command ${pattern}`);
  return command;
}

/**
 * Returns all TypeScript snippets of all pages, by file name. Each page has its own folder. A snippet without a file name becomes an
 * ES module of its own.
 */
export function typeScriptSnippets(): ReadonlyMap<string, string> {
  const pages = PAGES.map((page) => ({
    folder: parse(page).name,
    snippets: snippetsOf(page).filter(({ language }) => language === 'ts'),
  }));
  return new Map(
    pages.flatMap(({ folder, snippets }) =>
      snippets.map(({ name, code }, index) => [join(folder, name ?? `snippet-${index + 1}.mts`), code]),
    ),
  );
}

/** Writes TypeScript into a project, with the compiler options of docs/guides/testing.md. */
export function writeTypeScript(project: string, files: ReadonlyMap<string, string>): void {
  const config = filesOf('docs/guides/testing.md').get('tsconfig.json') ?? '';
  for (const [name, code] of [...files, ['tsconfig.json', config] as const]) {
    mkdirSync(join(project, dirname(name)), { recursive: true });
    writeFileSync(join(project, name), code);
  }
}

/** Compiles files in a project that depends on the built package. Returns the compiler’s errors as text, or an empty text. */
export async function compiled(files: ReadonlyMap<string, string>): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'paysession-snippets-'));
  try {
    linkPackages(project, ['@temporalio', '@types', 'standardwebhooks', 'vitest']);
    writeTypeScript(project, new Map([...files, ['package.json', '{"type":"commonjs"}']]));
    const { stdout } = await promisify(execFile)(process.execPath, [TSC, '--noEmit', '-p', project], {
      cwd: project,
    }).catch((error: unknown) => error as { readonly stdout: string });
    return stdout;
  } finally {
    await rm(project, { recursive: true });
  }
}

/** Links packages of this repository, and the built package itself, into a project. */
export function linkPackages(project: string, names: readonly string[]): void {
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(project, 'node_modules', 'paysession'));
  for (const name of names)
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
}
