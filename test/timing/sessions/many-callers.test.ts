import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

test('one session answers two hundred refreshes at once within two seconds', async () => {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const handles = Array.from({ length: 200 }, () => world.sessions.get(session.key));
  const startedAtMs = performance.now();
  await Promise.all(handles.map((handle) => handle.refresh()));
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  await session.cancelAndWait();
});
