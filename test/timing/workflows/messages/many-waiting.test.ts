import { expect, test } from '@jest/globals';
import { park } from '../../../support/park';
import { useWorld } from '../../../support/worlds/use-world';

/** Calls are held for as long as it takes. */
const world = useWorld({ service: { headersTimeoutMs: 40_000, exchangeTimeoutMs: 40_000 } });

test('a decision about a parked create is answered although many others wait', async () => {
  const { session, lost } = await park(world);
  const look = world.sandbox.hold('details', 'before');
  const decided = session.resolveCreate({ sessionId: lost });
  await look.reached;
  const reached = Array.from({ length: 9 }, () => world.sandbox.hold('details', 'before').reached);
  const others = Array.from({ length: 9 }, () => session.previewAdopt(lost).catch(() => undefined));
  await Promise.all(reached);
  world.sandbox.clearFaults();
  look.release();
  expect(await decided).toMatchObject({ phase: 'open', sessionId: lost });
  await Promise.all(others);
});
