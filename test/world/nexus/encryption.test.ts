import { expect, test } from '@jest/globals';
import { errorCodeOf } from '../../../src/nexus';
import { useCallerNamespace } from '../../support/worlds/nexus-world';
import { completing, eft } from '../../support/requests';
import { newKey } from '../../support/undecryptable';
import { useWorld } from '../../support/worlds/use-world';

const KEY = newKey('shared');

const world = useWorld({ encryption: { current: KEY } });
const callers = useCallerNamespace(world, { current: KEY });
/** Callers that can read the workers' answers, but whose calls the workers cannot read. */
const strangers = useCallerNamespace(world, { current: newKey('foreign'), earlier: [KEY] });

test('Nexus callers with the workers’ keys run sessions and read them', async () => {
  const input = world.input(completing());
  const call = await callers.start('runsSession', input);
  expect(await call.result()).toMatchObject({ key: input.key, status: 'Completed' });
  const { key } = input;
  expect(await (await callers.start('readsSession', { key })).result()).toMatchObject({ phase: 'ended' });
  expect(await (await callers.start('cancelsSession', { key })).result()).toMatchObject({
    outcome: 'alreadyEnded',
  });
});

test('Nexus callers with another key are refused each time, and other callers are still served', async () => {
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
