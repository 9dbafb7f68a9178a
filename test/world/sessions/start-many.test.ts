import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { PaymentSessionInput } from '../../../src';
import type { StartManyResult } from '../../../src/sessions';
import { completing, eft, leftOpen } from '../../support/requests';
import { useWorld } from '../../support/worlds/use-world';
import { startEach } from '../../../src/sessions/start/start';

const world = useWorld();

async function gather(results: AsyncIterable<StartManyResult>): Promise<StartManyResult[]> {
  const gathered: StartManyResult[] = [];
  for await (const result of results) gathered.push(result);
  return gathered;
}

test('startMany starts every input once and in order, and at most as many at once as its limit', async () => {
  const started: string[] = [];
  let running = 0;
  let most = 0;
  const prepare =
    ({ key }: PaymentSessionInput) =>
    async () => {
      started.push(key);
      most = Math.max(most, (running += 1));
      await setImmediate();
      running -= 1;
      return { session: world.sessions.get(key), attached: false };
    };
  const keys = Array.from({ length: 200 }, (_, index) => `key-${index}`);
  const results = await gather(
    startEach(
      prepare,
      keys.map((key) => ({ key, request: eft() })),
      { concurrency: 7 },
    ),
  );
  expect(results.map(({ key }) => key)).toEqual(keys);
  expect(started).toEqual(keys);
  expect(most).toBe(7);
});

test('startMany goes on after a refused input, and a second run starts no session again', async () => {
  const base = world.input(eft());
  async function* inputs() {
    for (let index = 0; index < 12; index += 1) {
      await setImmediate();
      const request = index === 5 ? { ...eft(), amount: 0 } : completing();
      yield { ...base, key: `${base.key}-${index}`, request };
    }
  }
  const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
  const before = creates();
  for (let run = 0; run < 2; run += 1) {
    const results = await gather(world.sessions.startMany(inputs(), { concurrency: 4 }));
    expect(results.map((result) => ('error' in result ? result.error.code : result.attached))).toEqual(
      Array.from({ length: 12 }, (_, index) => (index === 5 ? 'INVALID_REQUEST' : run > 0)),
    );
    await Promise.all(results.flatMap((result) => ('session' in result ? [result.session.result()] : [])));
  }
  expect(creates() - before).toBe(11);
});

test('startMany copies each input when it is yielded, so a caller may change and yield the same object again', async () => {
  const reused = { ...world.input(leftOpen()), request: { ...leftOpen() } };
  const prefix = reused.key;
  const amounts = Array.from({ length: 5 }, (_, index) => 10 + index);
  function* inputs() {
    for (const amount of amounts) {
      reused.key = `${prefix}-${amount}`;
      reused.request.amount = amount;
      yield reused;
    }
  }
  const results = await gather(world.sessions.startMany(inputs()));
  expect(results.map(({ key }) => key)).toEqual(amounts.map((amount) => `${prefix}-${amount}`));
  const handles = results.flatMap((result) => ('session' in result ? [result.session] : []));
  const states = await Promise.all(handles.map((session) => session.state()));
  expect(states.map(({ amount }) => amount)).toEqual(amounts);
  await Promise.all(handles.map((session) => session.cancelAndWait()));
});

test.each([undefined, null, 7, {}, { key: 7 }])(
  'startMany reports the malformed input %p as failed, and goes on',
  async (malformed) => {
    const inputs = [malformed, world.input(completing())] as PaymentSessionInput[];
    const [failed, started] = await gather(world.sessions.startMany(inputs));
    expect(failed).toMatchObject({ key: '', error: { code: 'INVALID_REQUEST' } });
    expect(started).toMatchObject({ key: inputs[1]?.key, attached: false });
  },
);
