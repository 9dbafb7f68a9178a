import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readHistories, replayHistories } from '../../../testkit';
import { bundleMutant, type Mutation } from '../../replay/mutant-bundle';

const FOLDER = join(__dirname, '..', '..', 'replay', 'histories');

/** Returns only a few histories, because finding where a history diverges takes several replays. */
const few = () =>
  readHistories(
    ['eft-completed', 'cancelled-by-update', 'resolved-by-retry'].map((name) => join(FOLDER, `${name}.json`)),
  );

/** Changes that look harmless, but break the sessions that are open when they are deployed. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'one timer more': { mutant: 'timer-before-follow', of: 'follow/follow' },
  'an activity more': { mutant: 'authenticate-before-create', of: 'activities' },
  'an activity removed': { mutant: 'no-create', of: 'activities' },
};

describe('the replay gate', () => {
  test('passes a change that changes no command', async () => {
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

  test.each(Object.entries(MUTATIONS))('catches %s, and reports the place', async (_name, mutation) => {
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
