import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readHistories, replayHistories } from '../../../testkit';
import { bundleMutant, type Mutation } from '../../replay/mutant-bundle';

const FOLDER = join(__dirname, '..', '..', 'replay', 'histories');

/** Returns only a few histories: to find the event at which a history diverges, it is replayed several times. */
const few = () =>
  readHistories(
    ['eft-completed', 'cancelled-by-update', 'resolved-by-retry'].map((name) => join(FOLDER, `${name}.json`)),
  );

/** Changes of workflow code that look harmless. Deployed, each would break the sessions that are open. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'one timer more': { mutant: 'timer-before-follow', of: 'follow/follow' },
  'an activity more': { mutant: 'authenticate-before-create', of: 'activities' },
  'an activity removed': { mutant: 'no-create', of: 'activities' },
};

describe('the replay of recorded histories', () => {
  test('passes a change of workflow code that changes no command', async () => {
    const mutant = await bundleMutant({
      mutant: 'other-summary',
      of: '../src/protocol/temporal/visibility',
    });
    try {
      const report = await replayHistories(readHistories([FOLDER]), mutant);
      expect(report).toMatchObject({ divergences: [], untouched: [] });
      expect(report.replayed).toBeGreaterThanOrEqual(100);
    } finally {
      await mutant.remove();
    }
  });

  test.each(Object.entries(MUTATIONS))('fails for %s, and reports the event', async (_name, mutation) => {
    const mutant = await bundleMutant(mutation);
    try {
      const { divergences } = await replayHistories(few(), mutant);
      expect(divergences.map((divergence) => divergence.name)).toContain('eft-completed');
      expect(divergences[0]).toMatchObject({
        event: {
          id: expect.any(Number),
          type: expect.stringMatching(/^(activityTaskScheduled|timerStarted)$/),
        },
        message: expect.stringMatching(/nondeterminism/i),
      });
    } finally {
      await mutant.remove();
    }
  });
});
