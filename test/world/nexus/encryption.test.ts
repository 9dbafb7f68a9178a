import { expect, test } from '@jest/globals';
import { errorCodeOf } from '../../../src/nexus';
import { useCallerNamespace } from '../../support/worlds/nexus-world';
import { completing, eft } from '../../support/requests';
import { newKey } from '../../support/undecryptable';
import { useWorld } from '../../support/worlds/use-world';

const KEY = newKey('shared');

const world = useWorld({ encryption: { current: KEY } });
const callers = useCallerNamespace(world, { current: KEY });
/** Callers that have the workers’ key, but encrypt their calls with a key that the workers lack. */
const strangers = useCallerNamespace(world, { current: newKey('foreign'), earlier: [KEY] });

test('Nexus callers with the workers’ keys can run sessions and read their states', async () => {
  const input = world.input(completing());
  const call = await callers.start('runsSession', input);
  expect(await call.result()).toMatchObject({ key: input.key, status: 'Completed' });
  const { key } = input;
  expect(await (await callers.start('readsSession', { key })).result()).toMatchObject({ phase: 'ended' });
  expect(await (await callers.start('cancelsSession', { key })).result()).toMatchObject({
    outcome: 'alreadyEnded',
  });
});

test('workers refuse every call of a Nexus caller with a foreign key, and still serve other callers', async () => {
  for (const workflow of ['runsSession', 'cancelsSession', 'readsSession'] as const) {
    for (let call = 0; call < 3; call += 1) {
      const refused = await strangers.start(workflow, world.input(eft()));
      const error: unknown = await refused.result().catch((caught: unknown) => caught);
      expect(errorCodeOf(error)).toBe('ENCRYPTION_KEY_MISSING');
    }
  }
  const call = await callers.start('runsSession', world.input(completing()));
  expect(await call.result()).toMatchObject({ status: 'Completed' });
});
