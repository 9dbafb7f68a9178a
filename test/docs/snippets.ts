import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

/** Pages whose snippets a reader copies, as paths in this repository. */
export const PAGES = ['README.md', ...pagesUnder('docs')];

/** The Markdown pages of a folder and the folders in it, as paths in this repository. */
export function pagesUnder(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true });
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}

export interface Snippet {
  /** The file that a comment before it names; otherwise none. */
  readonly name: string | undefined;
  readonly language: string;
  readonly code: string;
}

/** The code blocks of a page, without the indentation that a list gives them. */
export function snippetsOf(page: string): readonly Snippet[] {
  const markdown = readFileSync(join(ROOT, page), 'utf8');
  const blocks = markdown.matchAll(/^( *)(?:<!-- file: (\S+) -->\n\n *)?```(\w+)\n([\s\S]*?)^ *```$/gm);
  return Array.from(blocks, ([, indent = '', name, language = '', code = '']) => ({
    name,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The files that a page names, with what it says is in them. */
export function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(snippetsOf(page).flatMap(({ name, code }) => (name === undefined ? [] : [[name, code]])));
}

/** The commands of a page, a line each, in its order. */
export function commandsOf(page: string): readonly string[] {
  const shell = snippetsOf(page).filter(({ language }) => language === 'sh');
  return shell.flatMap(({ code }) => code.trim().split('\n'));
}

/** The page's only command that matches. Throws when there is none, or more. */
export function commandOf(page: string, pattern: RegExp): string {
  const [command, ...others] = commandsOf(page).filter((line) => pattern.test(line));
  if (command === undefined || others.length > 0) throw new Error(`${page}: not one command ${pattern}`);
  return command;
}

/**
 * Writes every TypeScript snippet of every page into a project, a folder a page, under the compiler's options that
 * docs/guides/testing.md gives. One without a file name is an ES module of its own. Gives how many there are.
 */
export function writeTypeScript(project: string): number {
  let count = 0;
  for (const page of PAGES) {
    const folder = join(project, parse(page).name);
    mkdirSync(folder, { recursive: true });
    const snippets = snippetsOf(page).filter(({ language }) => language === 'ts');
    for (const { name, code } of snippets) {
      count += 1;
      writeFileSync(join(folder, name ?? `snippet-${count}.mts`), code);
    }
  }
  writeFileSync(join(project, 'tsconfig.json'), filesOf('docs/guides/testing.md').get('tsconfig.json') ?? '');
  return count;
}

/** Links packages of this repository, and the built package itself, into a project. */
export function linkPackages(project: string, names: readonly string[]): void {
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(project, 'node_modules', 'paysession'));
  for (const name of names)
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
}
