import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import type { PaymentSessions } from 'paysession';
import { OrderEvents } from '../../../examples/checkout/orders/events';

/** Returns fake sessions. A read of a state waits until the test calls `answer`, and `asked` returns the number of reads. */
function slowSessions() {
  const waiting: (() => void)[] = [];
  let asked = 0;
  const state = async () => {
    asked += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { phase: 'open', status: 'Initiated', referenceId: null };
  };
  const sessions = { get: () => ({ state, stateHistory: () => Promise.resolve([]) }) };
  return {
    sessions: sessions as unknown as PaymentSessions,
    asked: () => asked,
    answer: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

const NEVER_MS = 3_600_000;

test('the sample shop reads an order’s state once for 50 pages that open it at the same time', async () => {
  const { sessions, asked, answer } = slowSessions();
  const events = new OrderEvents({ sessions, lookEveryMs: NEVER_MS });
  const streams = Array.from({ length: 50 }, () => events.follow('order', 'EN'));
  const told = streams.map((stream) => once(stream, 'data'));
  await new Promise(setImmediate);
  answer();
  for (const [text] of await Promise.all(told)) expect(text).toContain('Waiting for your payment');
  expect(asked()).toBe(1);
  events.end();
  await events.ended();
});

test('after a change of an order, the sample shop starts a new read, although an earlier read is still under way', () => {
  const { sessions, asked } = slowSessions();
  const events = new OrderEvents({ sessions, lookEveryMs: NEVER_MS });
  void events.read('order');
  events.changed('order');
  void events.read('order');
  void events.read('order');
  expect(asked()).toBe(2);
});

test('the sample shop accepts at most 200 pages at the same time', () => {
  const events = new OrderEvents({ sessions: slowSessions().sessions, lookEveryMs: NEVER_MS });
  for (let page = 0; page < 200; page += 1) {
    expect(events.full).toBe(false);
    events.follow('order', 'EN');
  }
  expect(events.full).toBe(true);
});

test('at its end, the sample shop waits for a read that is under way, even if the page has disconnected', async () => {
  const { sessions, answer } = slowSessions();
  const events = new OrderEvents({ sessions, lookEveryMs: NEVER_MS });
  const [reading, gone] = [events.follow('order', 'EN'), events.follow('order', 'EN')];
  for (const stream of [reading, gone]) stream.resume();
  await new Promise(setImmediate);
  gone.destroy();
  events.end();
  let hasEnded = false;
  const ended = events.ended().then(() => (hasEnded = true));
  await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  answer();
  await ended;
});
