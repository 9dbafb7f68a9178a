import { expect, jest, test } from '@jest/globals';
import type { OpsCondition } from '../../../../ledger/webhooks/ops-conditions';
import type { Delivery } from '../../../../ledger/webhooks/post';
import { sendOps } from '../../../../ledger/webhooks/send-ops';
import { until } from '../../../support/wait';

// Operations webhooks report conditions that an operator must look at, such as parked sessions (which wait for a decision).
const PARKED: OpsCondition = {
  kind: 'ops.parked',
  account: 'default',
  beganAt: new Date('2031-05-06T12:00:00.000Z'),
  began: '2031-05-06 12:00:00+00',
  detail: '2',
};

const endpointOf = (name: string) =>
  ({ name, url: `https://${name}.example`, secrets: [], kinds: ['ops.parked'] }) as const;

const SOON_MS = 10;

/** Starts a sender of operations webhooks for these endpoints. The endpoint `silent` does not answer until `stop` is called. */
function startSender(names: readonly string[], due: () => Promise<readonly OpsCondition[]>) {
  const stopping = new AbortController();
  const sent: string[] = [];
  const hanging: ((delivery: Delivery) => void)[] = [];
  const opsConditions = {
    countParked: jest.fn<() => Promise<void>>().mockResolvedValue(),
    due: jest.fn(due),
    sentTo: () => Promise.resolve(),
  };
  const sending = sendOps(
    {
      ledger: { environment: 'default', opsConditions } as never,
      endpoints: names.map(endpointOf),
      post: {
        send: ({ name }) => {
          sent.push(name);
          if (name !== 'silent') return Promise.resolve({ delivered: true, outcome: 'HTTP 204' });
          return new Promise((resolve) => {
            hanging.push(resolve);
          });
        },
      },
      onEvent: () => undefined,
      signal: stopping.signal,
    },
    SOON_MS,
  );
  const stop = async () => {
    stopping.abort();
    for (const answer of hanging) answer({ delivered: false, outcome: 'ETIMEDOUT' });
    await sending;
  };
  return { stopping, sent, sending, stop, opsConditions };
}

test('an endpoint of operations webhooks that does not answer delays no other endpoint, and no count of parked sessions', async () => {
  const { sent, opsConditions, stop } = startSender(['silent', 'pager'], () => Promise.resolve([PARKED]));
  await until(
    () => Promise.resolve(sent),
    (names) => names.includes('pager'),
  );
  await until(
    () => Promise.resolve(opsConditions.countParked.mock.calls),
    ({ length }) => length > 1,
  );
  expect(sent.filter((name) => name === 'silent')).toHaveLength(1);
  await stop();
});

test('all operations webhooks of an endpoint are sent at the same time', async () => {
  const { sent, stop } = startSender(['silent'], () =>
    Promise.resolve([PARKED, { ...PARKED, account: 'east' }]),
  );
  await until(
    () => Promise.resolve(sent),
    ({ length }) => length === 2,
  );
  await stop();
});

test('a sender of operations webhooks sends nothing after it was stopped, even if it was waiting for due messages', async () => {
  let found: (due: readonly OpsCondition[]) => void = () => undefined;
  const { stopping, sent, sending, opsConditions } = startSender(
    ['pager'],
    () =>
      new Promise((resolve) => {
        found = resolve;
      }),
  );
  await until(
    () => Promise.resolve(opsConditions.due.mock.calls),
    ({ length }) => length > 0,
  );
  stopping.abort();
  found([PARKED]);
  await sending;
  expect(sent).toEqual([]);
});
