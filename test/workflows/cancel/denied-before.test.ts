import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createPaymentWorld, replayHistories } from '../../../testkit';
import { unpackEarlierBundles } from '../../support/earlier-bundles';
import { leftOpen } from '../../support/requests';
import { testBundle } from '../../support/setup/global-values';

const DAY_MS = 24 * 60 * 60_000;

test('a cancel of an earlier version that was denied for an hour, but not in a row, replays with the current code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-bundles-'));
  try {
    for (const bundlePath of await unpackEarlierBundles(folder)) {
      const world = await createPaymentWorld({ bundlePath, sandbox: { idleExpiryMs: DAY_MS } });
      try {
        const { session } = await world.sessions.open({
          key: `test-${randomUUID()}`,
          request: leftOpen(),
          policy: { fastestPoll: '5m' },
        });
        const answers = (status: number) => {
          world.service.clearFaults();
          world.service.fail('cancel', { kind: 'status', status }, 1_000);
          world.service.fail('details', { kind: 'status', status }, 1_000);
        };
        answers(404);
        await session.cancel();
        await world.advance('40m');
        answers(503);
        await world.advance('2m');
        answers(404);
        await world.advance('40m');
        expect(await session.state()).toMatchObject({ phase: 'cancelling' });
        const history = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
        const replayed = await replayHistories([{ name: session.key, history }], {
          bundlePath: testBundle(),
        });
        expect(replayed.divergences).toEqual([]);
      } finally {
        await world.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
