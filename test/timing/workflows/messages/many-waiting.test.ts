import { expect, test } from '@jest/globals';
import { park } from '../../../support/park';
import { useWorld } from '../../../support/worlds/use-world';

/** The test holds calls for longer than the default timeouts allow. */
const world = useWorld({ service: { headersTimeoutMs: 40_000, exchangeTimeoutMs: 40_000 } });

test('a decision about a parked session is answered even if many previews of an adoption wait', async () => {
  const { session, lost } = await park(world);
  const poll = world.sandbox.hold('details', 'before');
  const decided = session.resolveCreate({ sessionId: lost });
  await poll.reached;
  const reached = Array.from({ length: 9 }, () => world.sandbox.hold('details', 'before').reached);
  const others = Array.from({ length: 9 }, () => session.previewAdopt(lost).catch(() => undefined));
  await Promise.all(reached);
  world.sandbox.clearFaults();
  poll.release();
  expect(await decided).toMatchObject({ phase: 'open', sessionId: lost });
  await Promise.all(others);
});
