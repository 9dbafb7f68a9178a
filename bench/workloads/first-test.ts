import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOfGuide, makeTestProject, type TestProject } from '../first-test/project';
import { BASELINE_FILES, WORLDS_FILES } from '../first-test/tests';
import { spread, type Spread } from '../figures/quantiles';
import { PROJECT } from '../report/project';
import type { BothSides } from '../sides/both-sides';
import { SIDES, type JobSide } from '../sides/side';

/** The times for which a developer waits for tests of a workflow, in seconds. */
export interface FirstTest {
  /**
   * One test in a new process, from the start to the end of the process. No workflow bundle of an earlier run is kept.
   */
  readonly coldS: Spread;
  /** One test in a new process. The workflow bundle of an earlier run is kept. */
  readonly warmS: Spread;
  /**
   * The creation and the closing of a world on a test server of an earlier world, as with the presets for jest and
   * vitest. Absent for Temporal's own environment, which has no worlds.
   */
  readonly worldS?: Spread;
  /** One more test in a process that has already run a test. Each test has its own test server. */
  readonly furtherS: Spread;
  /** All tests of docs/guides/testing.md under a test runner. For the baseline: as many tests. */
  readonly vitestS: Spread;
  readonly jestS: Spread;
  /** The page's first test again in a runner's watch mode, from the change of the test's file to the end of the run. */
  readonly vitestRerunS: Spread;
  readonly jestRerunS: Spread;
}

export interface FirstTestOptions {
  /** The number of measurements of each figure on each side. */
  readonly rounds: number;
}

const FIGURES = [
  'coldS',
  'warmS',
  'worldS',
  'furtherS',
  'vitestS',
  'jestS',
  'vitestRerunS',
  'jestRerunS',
] as const;
type Figure = (typeof FIGURES)[number];
type Seconds = Readonly<Record<Figure, number[]>>;

/** The test runners, and the modules from which their tests import `test`. Each runner has its own folder. */
const RUNNERS = { node: 'node:test', vitest: 'vitest', jest: '@jest/globals' } as const;

const VITEST = join('..', 'node_modules', 'vitest', 'vitest.mjs');
const JEST = join('..', 'node_modules', 'jest', 'bin', 'jest.js');
const WORLDS = 'worlds.cjs';
const FIRST_TEST = 'order.test';
const SETTLES_MS = 500;

/**
 * Measures tests of a workflow that waits for a payment. Compares tests with `paysession/testing` with tests in
 * Temporal's own test environment.
 */
export async function firstTest({ rounds }: FirstTestOptions): Promise<BothSides<FirstTest>> {
  const project = await makeTestProject();
  try {
    for (const side of SIDES) await prepare(project, side);
    const seconds = { paysession: noSeconds(), baseline: noSeconds() };
    for (let round = 0; round < rounds; round += 1) {
      for (const side of SIDES) await measureRound(project, side, seconds[side]);
    }
    for (const side of SIDES) await measureKept(project, side, seconds[side], rounds);
    return { paysession: spreadsOf(seconds.paysession), baseline: spreadsOf(seconds.baseline) };
  } finally {
    project.remove();
  }
}

const folderOf = (side: JobSide, runner: keyof typeof RUNNERS): string => `${side}-${runner}`;

/** Writes and compiles the tests of a side. Runs vitest and jest once, so that their caches are filled. */
async function prepare(project: TestProject, side: JobSide): Promise<void> {
  const guide = filesOfGuide();
  const shared = {
    'order-workflow.ts': guide['order-workflow.ts'] ?? '',
    'tsconfig.json': guide['tsconfig.json'] ?? '',
  };
  const own = side === 'paysession' ? { ...guide, ...recorded() } : BASELINE_FILES;
  const worlds = { [WORLDS]: WORLDS_FILES[side] };
  for (const [runner, module] of Object.entries(RUNNERS) as [keyof typeof RUNNERS, string][]) {
    const files = Object.entries({ ...shared, ...own, ...worlds }).map(([name, text]) => [
      name,
      text.replace("'node:test'", `'${module}'`),
    ]);
    project.write(folderOf(side, runner), Object.fromEntries(files) as Record<string, string>);
  }
  const node = folderOf(side, 'node');
  await project.run(node, [join('..', 'node_modules', 'typescript', 'bin', 'tsc')]);
  await project.run(folderOf(side, 'vitest'), [VITEST, 'run']);
  await project.run(folderOf(side, 'jest'), [JEST]);
}

/** Returns the recorded history that the page's `replay.test.ts` replays. */
const recorded = () => ({
  [join('histories', 'eft-completed.json')]: readFileSync(
    join(PROJECT, 'test', 'replay', 'histories', 'eft-completed.json'),
    'utf8',
  ),
});

/** Measures, once, the figures that need a new process. */
async function measureRound(project: TestProject, side: JobSide, seconds: Seconds): Promise<void> {
  const node = folderOf(side, 'node');
  const one = ['--test', `${FIRST_TEST}.js`];
  project.forgetBundles(node);
  seconds.coldS.push(await timed(() => project.run(node, one)));
  seconds.warmS.push(await timed(() => project.run(node, one)));
  seconds.vitestS.push(await timed(() => project.run(folderOf(side, 'vitest'), [VITEST, 'run'])));
  seconds.jestS.push(await timed(() => project.run(folderOf(side, 'jest'), [JEST])));
}

/** Measures the figures that need a process which has already run a test. */
async function measureKept(
  project: TestProject,
  side: JobSide,
  seconds: Seconds,
  times: number,
): Promise<void> {
  const printed = await project.run(folderOf(side, 'node'), [WORLDS, String(times)]);
  // Temporal's worker logs to standard output, too.
  const last = printed.trim().split('\n').at(-1) ?? '';
  const { furtherS, worldS } = JSON.parse(last) as Pick<Seconds, 'furtherS' | 'worldS'>;
  seconds.furtherS.push(...furtherS);
  seconds.worldS.push(...worldS);
  const vitest = [VITEST, 'watch', FIRST_TEST];
  seconds.vitestRerunS.push(
    ...(await reruns(project, folderOf(side, 'vitest'), vitest, { done: /Waiting for file changes/, times })),
  );
  const jest = [JEST, '--watchAll', '--watchman=false', FIRST_TEST];
  seconds.jestRerunS.push(
    ...(await reruns(project, folderOf(side, 'jest'), jest, { done: /Ran all test suites/, times })),
  );
}

/** Starts a runner in watch mode. Changes the test's file several times, and measures how long each run takes. */
async function reruns(
  project: TestProject,
  folder: string,
  args: readonly string[],
  { done, times }: { readonly done: RegExp; readonly times: number },
): Promise<readonly number[]> {
  const passed = new RegExp(`1 passed[^]*${done.source}`);
  return project.during(folder, args, async (output) => {
    await output.next(passed);
    const seconds: number[] = [];
    for (let turn = 0; turn < times; turn += 1) {
      // A runner may print that it waits for changes before it really watches the files.
      await sleep(SETTLES_MS);
      const run = output.next(passed);
      seconds.push(
        await timed(async () => {
          project.change(folder, `${FIRST_TEST}.ts`);
          await run;
        }),
      );
    }
    return seconds;
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAtMs = performance.now();
  await work();
  return (performance.now() - beganAtMs) / 1_000;
}

function spreadsOf(seconds: Seconds): FirstTest {
  const measured = FIGURES.filter((name) => seconds[name].length > 0);
  return Object.fromEntries(measured.map((name) => [name, spread(seconds[name])])) as Record<Figure, Spread>;
}

const noSeconds = (): Seconds =>
  Object.fromEntries(FIGURES.map((name): [Figure, number[]] => [name, []])) as unknown as Seconds;
