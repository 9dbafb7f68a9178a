import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { leftOpen } from '../../../support/requests';

/** Two merchants in virtual time, each with its own payment service. */
const world = usePaymentWorld({ accounts: { second: {} } });

const inputOf = (account: string) => ({
  key: `test-${randomUUID()}`,
  request: leftOpen(),
  account,
});

describe('when the service of one account is down', () => {
  const failedPolls = () => world.serviceOf('second').audit({ route: 'details', status: 503 }).length;

  /** Advances time to the middle of a pause. So no poll comes while the test cancels the session. */
  async function advanceIntoPause(): Promise<void> {
    const before = failedPolls();
    for (let step = 0; step < 30 && failedPolls() === before; step += 1) await world.advance('5s');
    await world.advance('15s');
  }

  test('the polls of that account pause, its cancels are still sent, and the other account’s calls go on', async () => {
    const opened = await Promise.all(Array.from({ length: 6 }, () => world.sessions.open(inputOf('second'))));
    const states = () => Promise.all(opened.map(({ session }) => session.state()));
    const service = world.serviceOf('second');
    service.fail('details', { kind: 'status', status: 503 }, 1_000);
    await world.advance('3m');
    // After five failures, the polls pause. Each pause ends with a single call. The pauses last 1, 2, 4 … 60 s.
    expect(failedPolls()).toBeLessThan(20);
    for (const { trouble } of await states()) expect(trouble?.code).toMatch(/^SERVICE_(PAUSED|FAILED)$/);

    const elsewhere = await world.sessions.open(inputOf('default'));
    await world.payor(elsewhere.sessionId).completes();
    expect(await elsewhere.session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
    await advanceIntoPause();
    expect(await opened.pop()?.session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });

    service.clearFaults();
    await world.advance('6m');
    expect((await states()).map(({ trouble }) => trouble)).toEqual(opened.map(() => undefined));
  });
});
