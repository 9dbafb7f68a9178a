import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { eft } from '../../support/requests';

/** In virtual time: the deadline is half a day away. */
const world = usePaymentWorld();

afterEach(() => {
  world.sandbox.clearFaults();
});

const policy = { fastestPoll: '30m', padSignatureDeadline: '12h' } as const;
const serviceIsDown = { kind: 'status', status: 503 } as const;

/** A session that has awaited its signature for all but an hour of its deadline. */
async function nearlyDue() {
  const opened = await world.sessions.open({ key: `test-${randomUUID()}`, request: eft(), policy });
  const payor = world.payor(opened.sessionId);
  await payor.validatesBank();
  await world.advance('34m');
  expect(await opened.session.state()).toMatchObject({ code: 'EFT0302' });
  await world.advance('11h');
  return { ...opened, payor };
}

describe('when its deadline passes while the service cannot be asked', () => {
  test('a signature that came in time counts, once the service answers again', async () => {
    const { session, payor } = await nearlyDue();
    world.service.fail('details', serviceIsDown, 1_000);
    await payor.signsPad();
    await world.advance('70m');
    expect(await session.state()).toMatchObject({ phase: 'open', trouble: { code: 'SERVICE_FAILED' } });
    world.sandbox.clearFaults();
    const result = await session.result();
    expect(result).toMatchObject({ status: 'Completed', code: 'EFT0301' });
    expect(result.unsigned).toBeUndefined();
  });

  test('the session ends as unsigned within an hour', async () => {
    const { session } = await nearlyDue();
    world.service.fail('details', serviceIsDown, 1_000);
    await world.advance('1h');
    expect(await session.state()).toMatchObject({ phase: 'open', code: 'EFT0302' });
    await world.advance('1h');
    expect(await session.result()).toMatchObject({ code: 'EFT0302', unsigned: true });
  });
});
