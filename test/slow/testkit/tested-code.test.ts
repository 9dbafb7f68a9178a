import { describe, expect, test } from '@jest/globals';
import { createPaymentWorld, type PaymentWorld } from '../../../testkit';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';

/** The number of attempts of the activity `ship` that throw before one succeeds. */
let failures = Infinity;
let attempts = 0;

const ship = () => {
  attempts += 1;
  if (attempts <= failures) throw new RangeError('no such shelf');
  return 'shipped';
};

let starts = 0;

/** Starts the user’s workflow in a new payment world, and runs a test there. */
async function inWorld(
  workflow: string,
  act: (world: PaymentWorld, result: () => Promise<unknown>, id: string) => Promise<void>,
  options: { readonly failures?: number; readonly activityAttempts?: number } = {},
): Promise<void> {
  const { failures: untilItWorks = Infinity, ...given } = options;
  [failures, attempts] = [untilItWorks, 0];
  const workflowBundle = await bundled(require.resolve('../../support/broken-workflows'));
  await using world = await createPaymentWorld({
    bundlePath: testBundle(),
    workflowBundle,
    activities: { ship },
    ...given,
  });
  const workflowId = `order-${(starts += 1)}`;
  const running = await world.client.workflow.start(workflow, { workflowId, taskQueue: world.taskQueue });
  await act(world, () => running.result(), workflowId);
}

/** Resolves with the error with which `work` rejects. */
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

/** Expects that the error reports the one of the tested code. A world that is only stuck throws another code after half a minute. */
function expectReported(error: unknown, said: string, line: string): void {
  expect(error).toMatchObject({ code: 'TESTED_CODE_FAILED', message: expect.stringContaining(said) });
  expect((error as Error).stack).toContain(line);
}

// Code under test often has bugs. The world must report them to the call that waits, and must not wait for ever.
describe('in a payment world, a TypeError in a workflow, with its stack, is thrown by', () => {
  const said = "TypeError: Cannot read properties of undefined (reading 'id')";
  const line = 'broken-workflows.ts';

  test('the workflow’s result', () =>
    inWorld('hasTypeError', async (_, result, id) => {
      const error = await thrown(result());
      expectReported(error, said, line);
      expectReported(error, id, line);
    }));

  test('advance', () =>
    inWorld('hasTypeError', async (world) => {
      expectReported(await thrown(world.advance('2h')), said, line);
    }));

  test('payorOf', () =>
    inWorld('hasTypeError', async (world) => {
      await thrown(world.advance('2h'));
      expectReported(await thrown(world.payorOf('order-never')), said, line);
    }));
});

test('a payment world reports a workflow that is not in the bundle', () =>
  inWorld('misspelt', async (world) => {
    expectReported(await thrown(world.payorOf('order-never')), 'no such function is exported', '');
  }));

test('a payment world reports an activity that is not registered at once, and names the registered ones', () =>
  inWorld('callsMisspelt', async (_, result) => {
    expectReported(
      await thrown(result()),
      'misspelt is not registered; those of the world’s `activities` are: ship',
      '',
    );
  }));

test('a payment world still reports a workflow’s TypeError to a call if an earlier call had too little time for it', () =>
  inWorld('hasTypeError', async (world) => {
    const deadline = Date.now() + 1;
    const hasty = thrown(world.client.withDeadline(deadline, () => world.payorOf('order-never')));
    expectReported(await thrown(world.advance('2h')), "reading 'id'", 'broken-workflows.ts');
    await hasty;
  }));

describe('in a payment world, an activity that throws', () => {
  const said = 'RangeError: no such shelf';

  test.each(['result', 'advance', 'payorOf'] as const)('makes %s throw at its third attempt', (call) =>
    inWorld('ships', async (world, result) => {
      const calls = {
        result,
        advance: () => world.advance('1d'),
        payorOf: () => world.payorOf('order-never'),
      };
      expectReported(await thrown(calls[call]()), said, 'tested-code.test.ts');
      expect(attempts).toBe(3);
    }),
  );

  test('while no call waits is reported to the next call that waits', () =>
    inWorld(
      'ships',
      async (world) => {
        while (attempts === 0) await world.now();
        expectReported(await thrown(world.advance('1s')), said, 'tested-code.test.ts');
      },
      { activityAttempts: 1 },
    ));

  test('is reported only once to calls that wait for other results', () =>
    inWorld('ships', async (world, result) => {
      expectReported(await thrown(result()), said, '');
      const { workflow } = world.client;
      const other = await workflow.start('waitsForSignal', {
        workflowId: 'other',
        taskQueue: world.taskQueue,
      });
      await world.advance('10m');
      await other.signal('goOn');
      expect(await other.result()).toBe('gone on');
      expectReported(await thrown(result()), said, '');
    }));

  test('and then succeeds is not reported', () =>
    inWorld(
      'ships',
      async (_, result) => {
        expect(await result()).toBe('shipped');
      },
      { failures: 2 },
    ));

  test('is retried as often as the world’s options allow', () =>
    inWorld(
      'ships',
      async (_, result) => {
        expect(await result()).toBe('shipped');
      },
      {
        failures: 8,
        activityAttempts: Infinity,
      },
    ));

  test('is not reported if its workflow gives it up', () =>
    inWorld('shipsOrGivesUp', async (_, result) => {
      expect(await result()).toBe('given up');
    }));

  test('is not reported if its workflow excludes the error from retries', () =>
    inWorld(
      'shipsUnlessOutOfRange',
      async (_, result) => {
        expect(await result()).toBe('not tried again');
      },
      { activityAttempts: 1 },
    ));
});
