import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time';
import { jsonPayload, rawCalls, type RawStart } from '../../support/raw-calls';
import { completing } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const calls = rawCalls(world);

type StartOptions = Omit<RawStart, 'workflowId' | 'input'>;

/** Starts a session that completes, and returns its workflow's id. */
async function start(options: StartOptions): Promise<string> {
  const key = `raw-${randomUUID()}`;
  const workflowId = `payment-session/${key}`;
  const input = JSON.stringify({ ...world.input(completing()), key });
  await calls.start({ workflowId, input: [jsonPayload(input)], ...options });
  return workflowId;
}

const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;

// With these options, Temporal would start another run of the workflow with the same input. That run could pay twice.
describe('a start that makes the Temporal server begin further runs with the same input', () => {
  const message = expect.stringMatching(/no cron schedule and no retry policy/);

  test.each<[string, StartOptions]>([
    ['a retry policy', { retryPolicy: {} }],
    [
      'a retry policy with a run timeout',
      { retryPolicy: { maximumAttempts: 3 }, workflowRunTimeout: msToTs('10s') },
    ],
  ])(
    'by %s fails once with INVALID_INPUT, and creates nothing at the payment service',
    async (_name, options) => {
      const createsBefore = creates();
      const workflowId = await start(options);
      expect(await calls.result(workflowId)).toMatchObject({ failure: { type: 'INVALID_INPUT', message } });
      expect((await world.client.workflow.getHandle(workflowId).describe()).status.name).toBe('FAILED');
      expect(creates()).toBe(createsBefore);
    },
  );

  test('by a cron schedule fails with INVALID_INPUT at each tick, and sends no create request', async () => {
    const createsBefore = creates();
    const workflowId = await start({ cronSchedule: '@every 1s' });
    const { workflow } = world.client;
    const firstRun = await workflow.getHandle(workflowId).describe();
    await until(
      () => workflow.getHandle(workflowId).describe(),
      ({ runId }) => runId !== firstRun.runId,
    );
    const { events } = await workflow.getHandle(workflowId, firstRun.runId).fetchHistory();
    expect(events?.at(-1)).toMatchObject({
      workflowExecutionFailedEventAttributes: {
        failure: { message, applicationFailureInfo: { type: 'INVALID_INPUT' } },
        newExecutionRunId: expect.stringMatching(/./),
      },
    });
    await workflow.getHandle(workflowId).terminate();
    expect(creates()).toBe(createsBefore);
  });
});

test.each<[string, StartOptions]>([
  ['a timeout of its run', { workflowRunTimeout: msToTs('1h') }],
  ['a timeout of its workflow', { workflowExecutionTimeout: msToTs('1h') }],
])('a start with %s begins no further run, and its session is paid', async (_name, options) => {
  const createsBefore = creates();
  const outcome = await calls.result(await start(options));
  expect(JSON.parse('answer' in outcome ? outcome.answer : '{}')).toMatchObject({ paid: true });
  expect(creates()).toBe(createsBefore + 1);
});
