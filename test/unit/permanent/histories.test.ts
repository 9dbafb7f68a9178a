import { expect, test } from '@jest/globals';
import { brokenHistories, sumsOfHistories, type Sums } from '../../permanent/histories';
import released from '../../permanent/released-histories.json';

const RELEASED: Sums = released;

test('the recorded histories of released versions are unchanged: sessions of those versions may still be open', () => {
  expect(brokenHistories(RELEASED, sumsOfHistories())).toEqual([]);
});

test('the check of recorded histories finds changed and missing histories, and accepts new histories', () => {
  const sums = { 'a.json': '1', 'b.json': '2', 'c.json': '3' };
  expect(brokenHistories(sums, { 'a.json': '1', 'b.json': 'other', 'd.json': '4' })).toEqual([
    'b.json',
    'c.json',
  ]);
});

test('there are more than fifty recorded histories', () => {
  expect(Object.keys(sumsOfHistories()).length).toBeGreaterThan(50);
});
