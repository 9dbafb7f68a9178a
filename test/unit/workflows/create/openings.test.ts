import { expect, test } from '@jest/globals';
import { Openings } from '../../../../workflows/shared-requests';

// A worker that cannot reach the payment service yet releases a session's create activity. This class decides how soon the activity is
// offered to workers again, and when a caller that waits for the session gets an error.
/** Returns the pauses, in seconds, after workers have released the create activity this many times. */
const pauses = (openings: Openings, count: number) =>
  Array.from({ length: count }, () => openings.giveBack(0.5).milliseconds / 1_000);

test('a create activity that workers release is offered again after half a second at first, and later after up to five minutes', () => {
  expect(pauses(new Openings(), 19)).toEqual([
    ...[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300],
  ]);
});

test('a caller gets an error after workers have released the create activity eight more times', () => {
  const openings = new Openings();
  pauses(openings, 10);
  const getsError = openings.ask();
  pauses(openings, 7);
  expect(getsError()).toBe(false);
  pauses(openings, 1);
  expect(getsError()).toBe(true);
});

test('a caller ends a long pause, and then the create activity is offered to workers every half second again', () => {
  const openings = new Openings();
  pauses(openings, 9);
  const { isAsked } = openings.giveBack(0.5);
  expect(isAsked()).toBe(false);
  openings.ask();
  expect(isAsked()).toBe(true);
  expect(pauses(openings, 2)).toEqual([0.5, 0.5]);
});

test('the create activity is offered to workers at most every half second, even if there are many callers', () => {
  const openings = new Openings();
  const { isAsked } = openings.giveBack(0.5);
  for (let caller = 0; caller < 10; caller += 1) openings.ask();
  expect(isAsked()).toBe(false);
});
