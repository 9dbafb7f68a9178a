import { describe, expect, test } from '@jest/globals';
import { isAhead } from '../../../workflows/query-ahead-of-tasks';

const before = { isReplaying: false, historyLength: 18, historySize: 5_000, atMs: 1_000 };

describe('a run that is given more of its history', () => {
  test('is ahead of its workflow tasks where none brought that', () => {
    expect(isAhead(before, { ...before, historyLength: 20 })).toBe(true);
  });

  test('is not where a later task did', () => {
    expect(isAhead(before, { ...before, historyLength: 23, historySize: 5_600, atMs: 4_000 })).toBe(false);
  });

  test('is not where the task comes from a node whose clock is behind', () => {
    expect(isAhead(before, { ...before, historyLength: 23, historySize: 5_600 })).toBe(false);
  });

  test('is not where it replays', () => {
    expect(isAhead(before, { ...before, historyLength: 20, isReplaying: true })).toBe(false);
  });

  test('is ahead where a task before them was withdrawn', () => {
    expect(isAhead(before, { ...before, historyLength: 17 })).toBe(true);
  });

  test('is not if the Temporal server reports no sizes', () => {
    const unknown = { ...before, historySize: 0 };
    expect(isAhead(unknown, { ...unknown, historyLength: 23, atMs: 1_003 })).toBe(false);
  });
});

test('a run that is given nothing new is not ahead of its workflow tasks', () => {
  expect(isAhead(before, before)).toBe(false);
});
