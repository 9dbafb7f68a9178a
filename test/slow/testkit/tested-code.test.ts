import { describe, expect, test } from '@jest/globals';
import { createPaymentWorld, type PaymentWorld } from '../../../testkit';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';

/** Each attempt at `ship` throws until this many have. */
let failures = Infinity;
let attempts = 0;

const ship = () => {
  attempts += 1;
  if (attempts <= failures) throw new RangeError('no such shelf');
  return 'shipped';
};

let starts = 0;

/** A test in a world of its own, in which a workflow has been started. */
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

/** Expects the report of the tested code's error. A world that only stood still would throw another code, after half a minute. */
function expectTold(error: unknown, said: string, line: string): void {
  expect(error).toMatchObject({ code: 'TESTED_CODE_FAILED', message: expect.stringContaining(said) });
  expect((error as Error).stack).toContain(line);
}

describe('a workflow with a TypeError fails what waits, with its stack:', () => {
  const said = "TypeError: Cannot read properties of undefined (reading 'id')";
  const line = 'broken-workflows.ts';

  test('its result', () =>
    inWorld('hasTypeError', async (_, result, id) => {
      const told = await thrown(result());
      expectTold(told, said, line);
      expectTold(told, id, line);
    }));

  test('advance', () =>
    inWorld('hasTypeError', async (world) => {
      expectTold(await thrown(world.advance('2h')), said, line);
    }));

  test('payorOf', () =>
    inWorld('hasTypeError', async (world) => {
      await thrown(world.advance('2h'));
      expectTold(await thrown(world.payorOf('order-never')), said, line);
    }));
});

test('a workflow that is not in the bundle is reported', () =>
  inWorld('misspelt', async (world) => {
    expectTold(await thrown(world.payorOf('order-never')), 'no such function is exported', '');
  }));

test('an activity that is not registered is reported at once, with those that are', () =>
  inWorld('callsMisspelt', async (_, result) => {
    expectTold(
      await thrown(result()),
      'misspelt is not registered; those of the world’s `activities` are: ship',
      '',
    );
  }));

test('a workflow with a TypeError is reported to a call that began after one with little time', () =>
  inWorld('hasTypeError', async (world) => {
    const deadline = Date.now() + 1;
    const hasty = thrown(world.client.withDeadline(deadline, () => world.payorOf('order-never')));
    expectTold(await thrown(world.advance('2h')), "reading 'id'", 'broken-workflows.ts');
    await hasty;
  }));

describe('an activity that throws', () => {
  const said = 'RangeError: no such shelf';

  test.each(['result', 'advance', 'payorOf'] as const)('fails %s at its third attempt', (call) =>
    inWorld('ships', async (world, result) => {
      const calls = {
        result,
        advance: () => world.advance('1d'),
        payorOf: () => world.payorOf('order-never'),
      };
      expectTold(await thrown(calls[call]()), said, 'tested-code.test.ts');
      expect(attempts).toBe(3);
    }),
  );

  test('before any test waits is reported to the next one that does', () =>
    inWorld(
      'ships',
      async (world) => {
        while (attempts === 0) await world.now();
        expectTold(await thrown(world.advance('1s')), said, 'tested-code.test.ts');
      },
      { activityAttempts: 1 },
    ));

  test('is reported once to tests that wait for something else', () =>
    inWorld('ships', async (world, result) => {
      expectTold(await thrown(result()), said, '');
      const { workflow } = world.client;
      const other = await workflow.start('waitsForSignal', {
        workflowId: 'other',
        taskQueue: world.taskQueue,
      });
      await world.advance('10m');
      await other.signal('goOn');
      expect(await other.result()).toBe('gone on');
      expectTold(await thrown(result()), said, '');
    }));

  test('and then works has done no harm', () =>
    inWorld(
      'ships',
      async (_, result) => {
        expect(await result()).toBe('shipped');
      },
      { failures: 2 },
    ));

  test('may be intended: a world that allows it waits', () =>
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

  test('may give up', () =>
    inWorld('shipsOrGivesUp', async (_, result) => {
      expect(await result()).toBe('given up');
    }));

  test('an error that its workflow excludes from retries ends it', () =>
    inWorld(
      'shipsUnlessOutOfRange',
      async (_, result) => {
        expect(await result()).toBe('not tried again');
      },
      { activityAttempts: 1 },
    ));
});
