import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { interceptors, perRun, resetSettled, runSeed, wasReset } from '../../../workflows/per-run';

/** The global object. Before the SDK calls a run's code, it puts the run's activator on this object. */
const sdk = globalThis as { __TEMPORAL_ACTIVATOR__?: unknown };
let before: unknown;

beforeEach(() => {
  before = sdk.__TEMPORAL_ACTIVATOR__;
});

afterEach(() => {
  sdk.__TEMPORAL_ACTIVATOR__ = before;
});

interface Run {
  randomnessSeed: readonly number[];
}

const run = (...randomnessSeed: number[]): Run => ({ randomnessSeed });

/** Calls a function as the code of a run. */
function within<T>(activator: Run, work: () => T): T {
  sdk.__TEMPORAL_ACTIVATOR__ = activator;
  return work();
}

describe('workflow runs that share their modules', () => {
  const one = run(1, 255);
  const other = run(2);

  test('have a separate state each', () => {
    const listOfRun = perRun<string[]>(() => []);
    within(one, () => listOfRun().push('a'));
    within(other, () => listOfRun().push('b'));
    expect(within(one, listOfRun)).toEqual(['a']);
    expect(within(other, listOfRun)).toEqual(['b']);
  });

  test('know separately whether they were reset', () => {
    within(one, interceptors);
    within(other, interceptors);
    expect(within(one, runSeed)).toBe('01ff');
    expect([within(one, wasReset), within(other, wasReset)]).toEqual([false, false]);
    one.randomnessSeed = [3];
    expect([within(one, wasReset), within(other, wasReset)]).toEqual([true, false]);
    within(one, resetSettled);
    expect(within(one, wasReset)).toBe(false);
  });
});

test('a workflow run without the interceptors does not count as reset', () => {
  const activator = run(1);
  expect(within(activator, wasReset)).toBe(false);
  activator.randomnessSeed = [2];
  expect(within(activator, wasReset)).toBe(false);
});
