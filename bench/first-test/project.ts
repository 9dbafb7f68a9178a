import { execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { resolveTestServer } from '../../src/temporal-server';
import { PROJECT } from '../report/project';

/**
 * A project like a user's: it has the packed package, and the packages that README.md and docs/guides/testing.md name.
 */
export interface TestProject {
  /** Writes files to a folder, by their names. */
  write(folder: string, files: Readonly<Record<string, string>>): void;
  /** Runs a Node program in a folder and returns its output. Throws an `Error` with the output if the program fails. */
  run(folder: string, args: readonly string[]): Promise<string>;
  /**
   * Starts a Node program, calls `use`, and then ends the program. `use` can wait for parts of the program's output.
   */
  during<T>(folder: string, args: readonly string[], use: (output: ProgramOutput) => Promise<T>): Promise<T>;
  /** Adds a line to a file, as if a developer had changed it. */
  change(folder: string, name: string): void;
  /** Deletes the workflow bundles that the package keeps for a folder's tests. */
  forgetBundles(folder: string): void;
  remove(): void;
}

/** The output of a running program. */
export interface ProgramOutput {
  /**
   * Resolves when the output after this call matches the pattern. Rejects after two minutes, or when the program ends.
   */
  next(pattern: RegExp): Promise<void>;
}

const GUIDE = join(PROJECT, 'docs', 'guides', 'testing.md');
const README = join(PROJECT, 'README.md');
const OUTPUT_BYTES = 16 * 1024 * 1024;
const PRINTS_WITHIN_MS = 120_000;

/** Returns the files that docs/guides/testing.md prints, by their names. */
export function filesOfGuide(): Readonly<Record<string, string>> {
  const blocks = readFileSync(GUIDE, 'utf8').matchAll(
    /^( *)<!-- file: (\S+) -->\n\n *```\w+\n([\s\S]*?)^ *```$/gm,
  );
  return Object.fromEntries(
    Array.from(blocks, ([, indent = '', name = '', code = '']) => [
      name,
      code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ]),
  );
}

/**
 * Packs the built package and installs it in a new project. Also installs, from npm's registry, the packages that the
 * pages name and those that the baseline needs.
 */
export async function makeTestProject(): Promise<TestProject> {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-first-test-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const npm = (...args: string[]) =>
    promisify(execFile)('npm', args, { cwd: PROJECT, maxBuffer: OUTPUT_BYTES });
  const packing = await npm('pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', folder);
  const [packed] = JSON.parse(packing.stdout) as readonly { readonly filename: string }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  const packages = packagesOfPages().map((name) =>
    name === 'paysession' ? join(folder, packed.filename) : name,
  );
  writeFileSync(join(folder, 'package.json'), '{"name":"shop","private":true,"type":"commonjs"}');
  await npm('install', '--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund', ...packages);
  const { executable } = await resolveTestServer();
  return { ...projectIn(folder, executable), remove };
}

/**
 * Returns the packages that the commands of README.md and docs/guides/testing.md install, and Temporal's testing
 * package in the version of Temporal's other packages.
 */
function packagesOfPages(): readonly string[] {
  const lines = [README, GUIDE].flatMap((page) =>
    Array.from(
      readFileSync(page, 'utf8').matchAll(/^npm install (?:--save-dev )?(.+)$/gm),
      ([, names = '']) => names,
    ),
  );
  const names = lines.flatMap((line) => line.split(' '));
  const version = /^@temporalio\/worker@(.+)$/m.exec(names.join('\n'))?.[1] ?? 'latest';
  return [...names, `@temporalio/testing@${version}`];
}

/**
 * Returns the environment for the project's tests: that of this process, without variables that change how tests run.
 */
function environment(executable: string): NodeJS.ProcessEnv {
  const foreign = /^(PAYSESSION_|TEMPORAL_|JEST_|NODE_OPTIONS|NODE_TEST|VITEST|FORCE_COLOR|CI$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  // Both sides use this program of the test server. The baseline's tests read its path from this variable.
  return { ...Object.fromEntries(own), NO_COLOR: '1', BENCH_TEST_SERVER: executable };
}

function projectIn(root: string, executable: string): Omit<TestProject, 'remove'> {
  const cacheOf = (folder: string) => join(root, 'caches', folder);
  const optionsOf = (folder: string) => ({
    cwd: join(root, folder),
    env: { ...environment(executable), PAYSESSION_CACHE_DIR: cacheOf(folder) },
  });
  return {
    write: (folder, files) => {
      mkdirSync(cacheOf(folder), { recursive: true });
      // The test server is already on this machine, so this link saves a download.
      symlinkSync(dirname(dirname(executable)), join(cacheOf(folder), 'temporal'));
      for (const [name, text] of Object.entries(files)) {
        const path = join(root, folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    },
    run: async (folder, args) => {
      try {
        const options = { ...optionsOf(folder), maxBuffer: OUTPUT_BYTES };
        return (await promisify(execFile)(process.execPath, [...args], options)).stdout;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
        throw new Error(`node ${args.join(' ')} failed in ${folder}:\n${stdout}${stderr}`, { cause: error });
      }
    },
    during: (folder, args, use) => during(optionsOf(folder), args, use),
    change: (folder, name) => {
      appendFileSync(join(root, folder, name), '// changed\n');
    },
    forgetBundles: (folder) => {
      rmSync(join(cacheOf(folder), 'bundles'), { recursive: true, force: true });
    },
  };
}

async function during<T>(
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  args: readonly string[],
  use: (output: ProgramOutput) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [...args], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) =>
    child.once('close', () => {
      resolve();
    }),
  );
  let printed = '';
  let onOutput: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      printed += text;
      onOutput();
    });
  }
  const next = async (pattern: RegExp) => {
    printed = '';
    const matching = new Promise<void>((resolve) => {
      onOutput = () => {
        if (pattern.test(printed)) resolve();
      };
    });
    const over = Promise.race([
      exited,
      new Promise((resolve) => setTimeout(resolve, PRINTS_WITHIN_MS).unref()),
    ]).then(() => {
      throw new Error(`node ${args.join(' ')} did not print ${String(pattern)}, but:\n${printed}`);
    });
    await Promise.race([matching, over]);
  };
  try {
    return await use({ next });
  } finally {
    child.kill();
    await exited;
  }
}
