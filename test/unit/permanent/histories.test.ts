import { expect, test } from '@jest/globals';
import { brokenHistories, sumsOfHistories, type Sums } from '../../permanent/histories';
import released from '../../permanent/released-histories.json';

const RELEASED: Sums = released;

test('the histories of released versions are what they were: sessions of those versions are open', () => {
  expect(brokenHistories(RELEASED, sumsOfHistories())).toEqual([]);
});

test('a history that is changed, or gone, is found; a new one is welcome', () => {
  const sums = { 'a.json': '1', 'b.json': '2', 'c.json': '3' };
  expect(brokenHistories(sums, { 'a.json': '1', 'b.json': 'other', 'd.json': '4' })).toEqual([
    'b.json',
    'c.json',
  ]);
});

test('there are histories to keep', () => {
  expect(Object.keys(sumsOfHistories()).length).toBeGreaterThan(50);
});
