import { beforeAll, expect, test } from '@jest/globals';
import { endCreate } from '../../../support/lost-create';
import { completing } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';

const world = useWorld();

beforeAll(() => world.stopWorker());

const resetCreate = (workflowId: string) =>
  world.client.workflowService.resetActivity({
    namespace: 'default',
    execution: { workflowId },
    type: 'createSession',
    resetHeartbeat: true,
  });

test.each([
  ['whose worker dies', () => Promise.resolve(), 1],
  ['whose worker dies and whose activity is reset', resetCreate, 1],
  ['whose worker dies and whose activity gets more attempts', () => Promise.resolve(), 3],
] as const)(
  'a create request %s has an unknown outcome, and waits for an operator before it is sent again',
  async (_, meddle, attempts) => {
    const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
    const createsBefore = creates();
    const create = world.sandbox.hold('create', 'before');
    const doomed = workerProcess(world);
    const input = world.input(completing(), { onUnknownCreate: 'park' });
    const session = await world.sessions.start(input);
    await create.reached;
    doomed.child.kill('SIGKILL');
    create.release();
    await world.startWorker();
    await meddle(session.workflowId);
    await endCreate(world.client, session.workflowId, attempts);
    expect(await stateOf(session, ({ phase }) => phase === 'parked')).toMatchObject({
      trouble: { code: 'SERVICE_INTERRUPTED' },
    });
    expect(creates() - createsBefore).toBe(1);
    await world.stopWorker();
  },
);
