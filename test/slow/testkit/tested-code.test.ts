import { describe, expect, test } from '@jest/globals';
import { createPaymentWorld, type PaymentWorld } from '../../../testkit';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';

/** The number of first attempts at `ship` that throw. */
let failures = Infinity;
let attempts = 0;

const ship = () => {
  attempts += 1;
  if (attempts <= failures) throw new RangeError('no such shelf');
  return 'shipped';
};

let starts = 0;

/** Starts a workflow in a new world, and runs a test there. */
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

/** Returns the error with which the work ends. */
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

/** Expects the report of the tested code's error. A world that is only stuck throws another code, after half a minute. */
function expectReported(error: unknown, said: string, line: string): void {
  expect(error).toMatchObject({ code: 'TESTED_CODE_FAILED', message: expect.stringContaining(said) });
  expect((error as Error).stack).toContain(line);
}

describe('in a payment world, a workflow’s TypeError, with its stack, fails', () => {
  const said = "TypeError: Cannot read properties of undefined (reading 'id')";
  const line = 'broken-workflows.ts';

  test('its result', () =>
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

test('a payment world reports a workflow’s TypeError to a call that began after another call with little time', () =>
  inWorld('hasTypeError', async (world) => {
    const deadline = Date.now() + 1;
    const hasty = thrown(world.client.withDeadline(deadline, () => world.payorOf('order-never')));
    expectReported(await thrown(world.advance('2h')), "reading 'id'", 'broken-workflows.ts');
    await hasty;
  }));

describe('in a payment world, an activity that throws', () => {
  const said = 'RangeError: no such shelf';

  test.each(['result', 'advance', 'payorOf'] as const)('fails %s at its third attempt', (call) =>
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

  test('before any call waits is reported to the next call that waits', () =>
    inWorld(
      'ships',
      async (world) => {
        while (attempts === 0) await world.now();
        expectReported(await thrown(world.advance('1s')), said, 'tested-code.test.ts');
      },
      { activityAttempts: 1 },
    ));

  test('is reported only once to calls that wait for something else', () =>
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

  test('is waited for as long as the world allows attempts', () =>
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

  test('may be given up by its workflow', () =>
    inWorld('shipsOrGivesUp', async (_, result) => {
      expect(await result()).toBe('given up');
    }));

  test('ends with an error that its workflow excludes from retries, and that is not reported', () =>
    inWorld(
      'shipsUnlessOutOfRange',
      async (_, result) => {
        expect(await result()).toBe('not tried again');
      },
      { activityAttempts: 1 },
    ));
});
