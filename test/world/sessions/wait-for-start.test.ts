import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { StartWaitOptions } from '../../../src/sessions';
import { overTheLimit } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

describe.each(['opened', 'state'] as const)('%s with waitForStart', (call) => {
  test('fails with SESSION_NOT_FOUND if the session is not started in time', async () => {
    const session = world.sessions.get(`nobody-${randomUUID()}`);
    const askedAtMs = performance.now();
    await expect(session[call]({ waitForStart: 400 })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(performance.now() - askedAtMs).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ['a time that is too long', { waitForStart: '11m' }, /waitForStart.*ten minutes at most/],
    ['a malformed time', { waitForStart: 'soon' }, /waitForStart.*"30s"/],
    ['a misspelt option', { waitForStrat: '5s' }, /waitForStrat.*did you mean waitForStart/],
  ])('refuses %s', async (_, options, message) => {
    const session = world.sessions.get(`nobody-${randomUUID()}`);
    const asked = session[call](options as StartWaitOptions);
    await expect(asked).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    });
  });
});

test('waitForStart does not delay calls for an ended session', async () => {
  const session = await world.sessions.start(world.input(overTheLimit()));
  await expect(session.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  await expect(session.opened({ waitForStart: '10m' })).rejects.toMatchObject({
    code: 'SERVICE_REQUEST_REJECTED',
  });
});
