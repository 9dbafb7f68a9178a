import { expect, test } from '@jest/globals';
import { Openings } from '../../../../workflows/shared-requests';

/** Returns the pauses after this many create activities that workers have released, in seconds. */
const pauses = (openings: Openings, count: number) =>
  Array.from({ length: count }, () => openings.giveBack(0.5).milliseconds / 1_000);

test('a create activity that workers release is offered again soon at first, and then up to five minutes apart', () => {
  expect(pauses(new Openings(), 19)).toEqual([
    ...[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300],
  ]);
});

test('a caller gets an error after workers have released the create activity eight more times', () => {
  const openings = new Openings();
  pauses(openings, 10);
  const isTold = openings.ask();
  pauses(openings, 7);
  expect(isTold()).toBe(false);
  pauses(openings, 1);
  expect(isTold()).toBe(true);
});

test('a caller ends a long pause, after which the create activity is offered to workers soon again', () => {
  const openings = new Openings();
  pauses(openings, 9);
  const { isAsked } = openings.giveBack(0.5);
  expect(isAsked()).toBe(false);
  openings.ask();
  expect(isAsked()).toBe(true);
  expect(pauses(openings, 2)).toEqual([0.5, 0.5]);
});

test('however many callers there are, the create activity is offered to workers half a second apart', () => {
  const openings = new Openings();
  const { isAsked } = openings.giveBack(0.5);
  for (let caller = 0; caller < 10; caller += 1) openings.ask();
  expect(isAsked()).toBe(false);
});
