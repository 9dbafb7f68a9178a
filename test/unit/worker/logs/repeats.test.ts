import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { LogLine } from '../../../../worker/observing/log-line';
import { Repeats } from '../../../../worker/observing/repeats';

const MINUTE_MS = 60_000;

let written: LogLine[];
let repeats: Repeats;

beforeEach(() => {
  jest.useFakeTimers();
  written = [];
  repeats = new Repeats((line) => written.push(line));
});

afterEach(() => {
  repeats.close();
  jest.useRealTimers();
});

const line = (fields: LogLine['fields'] = {}, message = 'it failed'): LogLine => ({
  time: new Date(),
  level: 'WARN',
  message,
  fields,
});

const outage = (sessionKey: string) => line({ account: 'default', code: 'SERVICE_UNREACHABLE', sessionKey });

test('if a log line is repeated many times, the first line is written at once, and then a summary each minute', () => {
  for (let session = 0; session < 1_000; session += 1) repeats.take(outage(`order-${session}`));
  expect(written).toEqual([outage('order-0')]);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(written).toHaveLength(2);
  expect(written[1]?.fields).toEqual({ account: 'default', code: 'SERVICE_UNREACHABLE', repeated: 999 });
  repeats.take(outage('order-1'));
  jest.advanceTimersByTime(MINUTE_MS);
  expect(written.map(({ fields }) => fields['repeated'])).toEqual([undefined, 999, 1]);
});

test('a log line that was not repeated for a minute is written again', () => {
  repeats.take(outage('order-1'));
  jest.advanceTimersByTime(MINUTE_MS);
  expect(written).toHaveLength(1);
  repeats.take(outage('order-2'));
  expect(written).toHaveLength(2);
});

test('a log line with another account, code or message is not a repetition, but a line with another number in the message is', () => {
  repeats.take(line({ account: 'default', code: 'SERVICE_UNREACHABLE' }));
  repeats.take(line({ account: 'other', code: 'SERVICE_UNREACHABLE' }));
  repeats.take(line({ account: 'default', code: 'SERVICE_FAILED' }));
  repeats.take(line({}, 'call retried 5 times'));
  repeats.take(line({}, 'call retried 16 times'));
  expect(written).toHaveLength(4);
});

test('a log line about another webhook endpoint is not a repetition', () => {
  for (const endpoint of ['shop', 'pager', 'shop'])
    repeats.take(line({ endpoint }, 'it refuses all webhooks'));
  expect(written.map(({ fields }) => fields['endpoint'])).toEqual(['shop', 'pager']);
});

test('a log line with another number of workers is not a repetition', () => {
  for (const workers of [3, 4, 4]) repeats.take(line({ workers }, 'shared among all workers'));
  expect(written.map(({ fields }) => fields['workers'])).toEqual([3, 4]);
});

test('a log line about a problem of another session is not a repetition, but a failure of another session with one code is', () => {
  for (const sessionKey of ['order-1', 'order-2', 'order-2'])
    repeats.take(line({ component: 'workflow', problem: 'parked', sessionKey }));
  expect(written.map(({ fields }) => fields['sessionKey'])).toEqual(['order-1', 'order-2']);
  for (const sessionKey of ['order-3', 'order-4'])
    repeats.take(line({ component: 'workflow', code: 'SERVICE_FORBIDDEN', sessionKey }));
  expect(written.map(({ fields }) => fields['sessionKey'])).toEqual(['order-1', 'order-2', 'order-3']);
});

test('when the worker ends, it writes the counts of repeated log lines', () => {
  repeats.take(line());
  repeats.take(line());
  repeats.close();
  expect(written.map(({ fields }) => fields['repeated'])).toEqual([undefined, 1]);
});

test('at most 500 kinds of log lines are written in a minute, and other lines are only counted', () => {
  for (let kind = 0; kind < 2_000; kind += 1) repeats.take(line({ account: `account-${kind}` }));
  expect(written).toHaveLength(501);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(written.slice(501)).toEqual([
    {
      ...line({ repeated: 1_499 }),
      message: 'lines of other kinds were counted and not written, because there were already 500 kinds',
    },
  ]);
});
