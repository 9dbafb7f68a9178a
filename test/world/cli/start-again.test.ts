import { expect, test } from '@jest/globals';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';
import { paysession } from '../../support/cli/run-paysession';

const world = useWorld();

test('for a key whose session has failed, start exits with the exit code of the failure, and start-many exits with 7', async () => {
  const env = {
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
    PAYSESSION_TASK_QUEUE: world.taskQueue,
  };
  const { session } = await park(world);
  await session.resolveCreate({ abandon: true });
  await session.result().catch((error: unknown) => error);
  const request = leftOpen();
  const line = JSON.stringify({ key: session.key, request });
  const many = await paysession(['start-many', '-', '--jsonl'], { env, stdin: line });
  expect(many.code).toBe(7);
  expect(JSON.parse(many.stdout.split('\n')[0] ?? '')).toMatchObject({
    key: session.key,
    outcome: 'failed',
    code: 'CREATE_ABANDONED',
    attached: true,
  });
  const args = ['start', '--key', session.key, '--request', '-'];
  const start = await paysession([...args, '--json'], { env, stdin: JSON.stringify(request) });
  expect(start.code).toBe(6);
  expect(JSON.parse(start.stdout)).toMatchObject({
    key: session.key,
    attached: true,
    end: { outcome: 'failed', paid: false, failure: 'CREATE_ABANDONED' },
  });
  const printed = await paysession(args, { env, stdin: JSON.stringify(request) });
  expect(printed.code).toBe(6);
  expect(printed.stdout).toMatch(/^attached to payment-session\/.*, which has failed: CREATE_ABANDONED/);
});
