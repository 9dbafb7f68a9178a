import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  parseHistory,
  readHistories,
  replayHistories,
  type RecordedHistory,
  type ReplayReport,
} from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { until } from '../../support/wait';

const directory = join(__dirname, '..', '..', 'replay', 'histories');
const options = { bundlePath: testBundle() };

async function read(name: string): Promise<RecordedHistory> {
  for await (const recorded of readHistories([join(directory, name)])) return recorded;
  throw new Error(`${name} holds no history`);
}

const startOf = ({ history }: RecordedHistory, events: number) => ({
  name: `the first ${events} events`,
  history: { ...history, events: (history.events ?? []).slice(0, events) },
});

describe('the replay of histories', () => {
  test('reports a session whose workflow has not run yet separately', async () => {
    const start = startOf(await read('eft-completed.json'), 1);
    expect(await replayHistories([start], options)).toEqual({
      replayed: 0,
      untouched: ['the first 1 events'],
      divergences: [],
    });
  });

  test('fails for a folder without histories', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'paysession-empty-'));
    await expect(replayHistories(readHistories([empty]), options)).rejects.toMatchObject({
      code: 'INVALID_FILE',
    });
    await rm(empty, { recursive: true });
  });

  test('reports a history that diverges from the code, with the event at which it diverges', async () => {
    const { history } = await read('eft-completed.json');
    const events = history.events ?? [];
    const scheduled = events.flatMap((event, index) =>
      event.activityTaskScheduledEventAttributes ? [index] : [],
    );
    expect(scheduled.length).toBeGreaterThanOrEqual(2);
    const altered = scheduled.map((at) => ({
      name: String(at + 1),
      history: { events: withOther(events, at) },
    }));
    const { divergences } = await replayHistories(altered, options);
    expect(divergences).toEqual(
      scheduled.map((at) => ({
        name: String(at + 1),
        event: { id: at + 1, type: 'activityTaskScheduled' },
        message: expect.stringContaining('createTwice'),
      })),
    );
  });

  test('can begin while another replay ends', async () => {
    const whole = await read('eft-completed.json');
    const begun: Promise<ReplayReport>[] = [];
    const begin = (more: number): void => {
      const onReplayed = () => {
        if (more > 0) begin(more - 1);
      };
      begun.push(replayHistories([whole], { ...options, onReplayed }));
    };
    begin(20);
    await until(
      () => Promise.resolve(begun.length),
      (count) => count === 21,
    );
    expect(await Promise.all(begun)).toMatchObject(begun.map(() => ({ replayed: 1, divergences: [] })));
  });

  test.each([{}, { events: [] }, 'text', { events: [{ eventType: 'unheard of' }] }])(
    'refuses JSON that is not a history: %j',
    (json) => {
      expect(() => parseHistory('it', json)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
    },
  );
});

type Events = NonNullable<RecordedHistory['history']['events']>;

/** Returns a copy of the events in which the event at index `at` schedules another activity. */
function withOther(events: Events, at: number): Events {
  return events.map((event, index) =>
    index === at
      ? {
          ...event,
          activityTaskScheduledEventAttributes: {
            ...event.activityTaskScheduledEventAttributes,
            activityType: { name: 'createTwice' },
          },
        }
      : event,
  );
}
