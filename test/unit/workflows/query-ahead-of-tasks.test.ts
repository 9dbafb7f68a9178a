import { describe, expect, test } from '@jest/globals';
import { isAhead } from '../../../workflows/query-ahead-of-tasks';

// A worker may get more of a run's history for a query, without a workflow task. Then the run is ahead of its workflow tasks.
const before = { isReplaying: false, historyLength: 18, historySize: 5_000, atMs: 1_000 };

describe('a workflow run that gets more of its history', () => {
  test('is ahead of its workflow tasks if no task has brought the new events', () => {
    expect(isAhead(before, { ...before, historyLength: 20 })).toBe(true);
  });

  test('is not ahead of its workflow tasks if a later task has brought the new events', () => {
    expect(isAhead(before, { ...before, historyLength: 23, historySize: 5_600, atMs: 4_000 })).toBe(false);
  });

  test('is not ahead of its workflow tasks if a task from a node with a slow clock has brought the new events', () => {
    expect(isAhead(before, { ...before, historyLength: 23, historySize: 5_600 })).toBe(false);
  });

  test('is not ahead of its workflow tasks if it replays', () => {
    expect(isAhead(before, { ...before, historyLength: 20, isReplaying: true })).toBe(false);
  });

  test('is ahead of its workflow tasks if its history has become shorter, without a task', () => {
    expect(isAhead(before, { ...before, historyLength: 17 })).toBe(true);
  });

  test('is not ahead of its workflow tasks if the Temporal server reports no sizes and the time has changed', () => {
    const unknown = { ...before, historySize: 0 };
    expect(isAhead(unknown, { ...unknown, historyLength: 23, atMs: 1_003 })).toBe(false);
  });
});

test('a workflow run is not ahead of its workflow tasks if it gets no new events', () => {
  expect(isAhead(before, before)).toBe(false);
});
