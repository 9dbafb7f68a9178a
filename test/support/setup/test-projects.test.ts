import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

interface TestProjects {
  readonly testProjects: () => { readonly unit: readonly string[]; readonly world: readonly string[] };
  readonly helpersWithHooks: () => readonly string[];
  readonly needsMore: (file: string) => boolean;
}

const { testProjects, helpersWithHooks, needsMore } = jest.requireActual<TestProjects>('./test-projects.cjs');

const { unit, world } = testProjects();
/** In parts: this is a unit test itself. */
const WORKER = ['@temporalio', 'worker'].join('/');
const PACKAGE = ['pay', 'session'].join('');
const PROCESS = ['child', 'process'].join('_');

const TESTS = join(__dirname, '..', '..');

describe('the projects of the tests', () => {
  test('what is pure has unit tests alone', () => {
    const pure = /^(activities|contract|encryption|errors|files|protocol|web)\//;
    expect(world.filter((name) => pure.test(name) && !name.endsWith('.waiting.test.ts'))).toEqual([]);
  });

  test('a test of sessions on a Temporal server is no unit test, nor is one that needs a process or a browser', () => {
    const more =
      /from '[^']*(support\/worlds\/(?!shop)|setup\/(global-values|bundled)|@temporalio\/worker|child_process)|env\['PAYSESSION_TEST_E/;
    const direct = unit.filter((name) =>
      readFileSync(join(TESTS, name), 'utf8')
        .split('\n')
        .some((line) => !line.startsWith('import type ') && more.test(line)),
    );
    expect(direct).toEqual([]);
    const others = /^(browser|cluster|engine|package|replay|tools)\/|\.(crowd|timing|waiting)\.test\.ts$/;
    expect(unit.filter((name) => others.test(name))).toEqual([]);
  });

  test('a unit test has nothing of the global set-up, whoever else runs', () => {
    expect(Object.keys(process.env).filter((name) => /^PAYSESSION_TEST_(ENGINE|BUNDLE)/.test(name))).toEqual(
      [],
    );
  });
});

test('what closes the sandboxes of each test is among the helpers with hooks', () => {
  expect(helpersWithHooks()).toContain(join('sandbox', 'support.ts'));
});

describe('what a test imports', () => {
  let folder: string;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paysession-projects-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['a worker', `import { Worker } from '${WORKER}';`, true],
    ['a worker, over lines', `import {\n  Worker,\n} from '${WORKER}';`, true],
    ['a process', `import { spawn } from 'node:${PROCESS}';`, true],
    ['the type of a worker', `import type { Worker } from '${WORKER}';`, false],
    ['a worker, when it runs', `const made = await import('${WORKER}');`, true],
    ['a worker past the mocks', `jest.requireActual<typeof Lib>('${WORKER}');`, true],
    ['the built package', `import { PaymentSessions } from '${PACKAGE}';`, true],
    ['a client', `import { Client } from '@temporalio/client';`, false],
  ])('%s', (_what, text, expected) => {
    const helper = write('helper.ts', text);
    expect(needsMore(helper)).toBe(expected);
    expect(needsMore(write('by-helper.ts', `import { help } from './helper';`))).toBe(expected);
    expect(needsMore(write('again.ts', `export { help } from './by-helper.js';`))).toBe(expected);
    expect(needsMore(write('type.ts', `import type { Help } from './helper';`))).toBe(false);
  });
});
