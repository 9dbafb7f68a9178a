import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { completing, overTheLimit } from '../../support/requests';
import { commandOf } from '../../support/docs/snippets';
import { globalValue } from '../../support/setup/global-values';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

/** The guide's command that erases a session. */
const ERASE = commandOf('docs/guides/operations.md', /^temporal workflow delete /);

test('the operations guide’s command deletes a session and its earlier runs from Temporal, and the key is free again', async () => {
  const input = world.input(completing());
  const refused = await world.sessions.start({ ...input, request: overTheLimit() });
  await expect(refused.result()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  const { session } = await world.sessions.open(input);
  await session.result();
  const query = `WorkflowId = '${session.workflowId}'`;
  const { workflow } = world.client;
  await until(
    () => workflow.count(query),
    ({ count }) => count === 2,
  );

  const command = ERASE.replace('KEY', input.key).replace(/^temporal/, '"$TEMPORAL"');
  const TEMPORAL = globalValue('PAYSESSION_TEST_TEMPORAL_EXECUTABLE');
  const env = { ...process.env, TEMPORAL, TEMPORAL_ADDRESS: world.temporalAddress };
  await promisify(execFile)('sh', ['-c', command], { env });
  await until(
    () => workflow.count(query),
    ({ count }) => count === 0,
  );
  for (const read of [session.state(), session.stateHistory()])
    await expect(read).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect((await world.sessions.start(input)).started).toEqual({ attached: false });
});
