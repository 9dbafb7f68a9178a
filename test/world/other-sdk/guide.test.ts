import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { jsonPayload, rawCalls, typeOf, type RawOutcome } from '../../support/raw-calls';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { masked, guideJson } from '../../support/other-sdk/guide-json';

const world = useWorld();
const calls = rawCalls(world);

/** Starts a session with the guide's input, under a new key. */
async function start(label = 'Start') {
  const key = `order-${randomUUID().slice(0, 8)}`;
  const workflowId = `payment-session/${key}`;
  await calls.start({ workflowId, input: [jsonPayload(guideJson(label, key))] });
  return {
    workflowId,
    /** Expects that an answer equals the guide’s answer with this label, apart from ids, times and addresses. */
    expectAnswer: (outcome: RawOutcome | string, answerLabel: string) => {
      const answer = typeof outcome === 'string' ? outcome : answerOf(outcome);
      expect(masked(answer)).toEqual(masked(guideJson(answerLabel, key)));
    },
    argument: (argumentLabel: string) => jsonPayload(guideJson(argumentLabel, key)),
  };
}

function answerOf(outcome: RawOutcome): string {
  if ('failure' in outcome) throw outcome.failure;
  return outcome.answer;
}

async function parked() {
  const session = await start('Start that parks');
  const isParked = (state: string) => (JSON.parse(state) as { phase: string }).phase === 'parked';
  const state = await until(() => calls.query(session.workflowId, 'state'), isParked);
  return { ...session, state };
}

test('another SDK can start, open, read, refresh and cancel a session with the guide’s JSON', async () => {
  const { workflowId, expectAnswer } = await start();
  expectAnswer(await calls.update(workflowId, 'awaitOpened'), 'Update `awaitOpened`');
  expectAnswer(await calls.query(workflowId, 'state'), 'Query `state`');
  expectAnswer(await calls.update(workflowId, 'refresh'), 'Query `state`');
  expectAnswer(await calls.update(workflowId, 'cancelAndWait'), 'Update `cancelAndWait`');
  expectAnswer(await calls.query(workflowId, 'stateHistory'), 'Query `stateHistory`');
  expectAnswer(await calls.result(workflowId), 'Result');
});

test('a session that another SDK cancels by the guide’s signal ends with the guide’s result', async () => {
  const { workflowId, expectAnswer } = await start();
  await calls.update(workflowId, 'awaitOpened');
  await calls.signal(workflowId, 'cancel');
  expectAnswer(await calls.result(workflowId), 'Result');
});

test('the guide’s JSON with a name and a reason is recorded among the session’s decisions', async () => {
  const { workflowId, argument } = await start();
  const named = [argument('the person who asks, and why')];
  await calls.update(workflowId, 'awaitOpened');
  const reply: unknown = JSON.parse(answerOf(await calls.update(workflowId, 'recordReveal', named)));
  expect(reply).toMatchObject({ kept: true, state: { phase: 'open' } });
  await calls.update(workflowId, 'refresh', named);
  await calls.signal(workflowId, 'cancel', named);
  const { decisions } = JSON.parse(answerOf(await calls.result(workflowId))) as { decisions: unknown };
  const who = { by: 'avery', reason: 'the customer called' };
  expect(decisions).toMatchObject([
    { decision: 'reveal', ...who, result: 'applied' },
    { decision: 'refresh', ...who, result: 'applied' },
    { decision: 'cancel', ...who, result: 'cancelled' },
  ]);
});

test('another SDK can create a parked session again with the guide’s JSON', async () => {
  world.sandbox.failNext('create', { kind: 'status', status: 502 });
  const { workflowId, state, argument, expectAnswer } = await parked();
  expectAnswer(state, 'State of a parked session');
  const answer = await calls.update(workflowId, 'resolveCreate', [argument('Create it again')]);
  expect(JSON.parse(answerOf(answer))).toMatchObject({ anomalies: [{ kind: 'possibleOrphan' }] });
  expectAnswer(await calls.update(workflowId, 'awaitOpened'), 'Update `awaitOpened`');
  await calls.signal(workflowId, 'cancel');
  await calls.result(workflowId);
});

test('another SDK can abandon a parked session with the guide’s JSON', async () => {
  world.sandbox.failNext('create', { kind: 'status', status: 502 });
  const { workflowId, argument } = await parked();
  const answer = await calls.update(workflowId, 'resolveCreate', [argument('Abandon it')]);
  expect(JSON.parse(answerOf(answer))).toMatchObject({
    phase: 'ended',
    failure: { code: 'CREATE_ABANDONED' },
  });
  expect(typeOf(await calls.result(workflowId))).toBe('CREATE_ABANDONED');
});

test('another SDK can adopt the lost session of a parked one with the guide’s JSON', async () => {
  world.sandbox.failNext('create', { kind: 'status', status: 502, phase: 'after' });
  const { workflowId, argument, expectAnswer } = await parked();
  const { sessionId = '' } = world.sandbox.calls.findLast(({ route }) => route === 'create') ?? {};
  const { data } = argument('Follow the session');
  const { sessionId: placeholder } = JSON.parse(Buffer.from(data ?? []).toString()) as { sessionId: string };
  const found = Buffer.from(data ?? [])
    .toString()
    .replace(placeholder, sessionId);
  const answer = await calls.update(workflowId, 'resolveCreate', [jsonPayload(found)]);
  const told = JSON.parse(answerOf(answer)) as { readonly decisions: unknown; readonly parks: unknown };
  const { decisions, parks, ...state } = told;
  expectAnswer(JSON.stringify({ ...state, decisions: [] }), 'Query `state`');
  expect(parks).toMatchObject([{ code: 'SERVICE_FAILED' }]);
  expect(decisions).toMatchObject([{ decision: 'adopt', sessionId, result: 'applied' }]);
  await calls.signal(workflowId, 'cancel');
  await calls.result(workflowId);
});

test('a refused update from another SDK fails with the error code as the failure’s type', async () => {
  const { workflowId, argument } = await start();
  await calls.update(workflowId, 'awaitOpened');
  expect(typeOf(await calls.update(workflowId, 'resolveCreate', [argument('Abandon it')]))).toBe(
    'INVALID_INPUT',
  );
  await calls.signal(workflowId, 'cancel');
  await calls.result(workflowId);
});
