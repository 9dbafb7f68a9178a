import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readHistories, replayHistories } from '../../testkit';
import { bundleMutant, type Mutation } from './mutant-bundle';

const FOLDER = join(__dirname, 'histories');

/** Enough for each mutation: finding where a history departs takes several replays of it. */
const few = () =>
  readHistories(
    ['eft-completed', 'cancelled-by-update', 'resolved-by-retry'].map((name) => join(FOLDER, `${name}.json`)),
  );

const AUTHENTICATE = 'await getToken(session);';
const CREATE = 'return await sendCreate(session);';

/** Changes that look harmless, and break sessions that are open as they are deployed. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'one timer more': {
    file: 'workflows/payment-session.ts',
    changes: [['await follow(session);', 'await condition(() => false, 1);\n    await follow(session);']],
  },
  'two commands swapped': {
    file: 'workflows/steps/create.ts',
    changes: [
      [AUTHENTICATE, ''],
      [CREATE, `${CREATE.replace('return', 'const created =')}\n${AUTHENTICATE}\nreturn created;`],
    ],
  },
  'an activity removed': { file: 'workflows/steps/create.ts', changes: [[AUTHENTICATE, '']] },
};

describe('the replay gate', () => {
  test('lets pass a change that changes no command', async () => {
    const mutant = await bundleMutant({
      file: 'workflows/session.ts',
      changes: [["status = 'Creating'", "status = 'Opening'"]],
    });
    try {
      const report = await replayHistories(readHistories([FOLDER]), mutant);
      expect(report).toMatchObject({ divergences: [], untouched: [] });
      expect(report.replayed).toBeGreaterThanOrEqual(100);
    } finally {
      await mutant.remove();
    }
  });

  test.each(Object.keys(MUTATIONS))('catches %s, and tells where', async (name) => {
    const mutation = MUTATIONS[name];
    if (mutation === undefined) throw new Error('there is no such mutation');
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
