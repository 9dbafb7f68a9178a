import { expect, test } from '@jest/globals';
import { park } from '../../../support/park';
import { useWorld } from '../../../support/worlds/use-world';

/** The timeouts of the client are longer than by default, because the test holds back calls for that long. */
const world = useWorld({ service: { headersTimeoutMs: 40_000, exchangeTimeoutMs: 40_000 } });

// A parked session waits for an operator's decision about a lost create request. Here the operator names the session that the request has
// created (adopts it). At the same time, nine operators preview the adoption, and their calls to the service hang.
test('an operator’s decision about a parked session is answered although nine previews of the adoption wait', async () => {
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
