import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createWorld, type World } from '../../support/worlds/world';
import { commandsOf, runCommand } from '../../support/examples/commands';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => {
  await world.close();
});

test('the nightly batch opens its 200 sessions once, also if it runs again', async () => {
  // The keys contain the night’s name. It is unique, because all tests share the Temporal server.
  const night = `night-${randomUUID().slice(0, 8)}`;
  const [first = '', second = ''] = commandsOf('nightly-batch').map((command) =>
    command.replace('2031-05-06', night),
  );
  expect(await runCommand(first, world)).toEqual({
    output: 'opened 200, opened before 0, failed 0\n',
    errors: '',
  });
  expect(await runCommand(second, world)).toEqual({
    output: 'opened 0, opened before 200, failed 0\n',
    errors: '',
  });
  expect(world.sandbox.calls.filter(({ route }) => route === 'create').length).toBe(200);
  expect(world.sandbox.outbox.length).toBe(200);
  const withoutNight = await runCommand(first.replace(` --night ${night}`, ''), world);
  expect(withoutNight).toEqual({
    output: '',
    errors: expect.stringContaining('The option --night is missing'),
  });
});
