import { describe, expect, test } from '@jest/globals';
import { CallStoppedError } from '../../../src/service/call-scope';
import { ConnectionSlots } from '../../../src/service/http/transport';

/** Returns a call that is stopped when the promise resolves. */
const stoppedWhen = (stopped: Promise<void>) => ({
  stopped: () => stopped.then(() => new CallStoppedError('CALL_ABORTED')),
});
const never = stoppedWhen(new Promise<never>(() => undefined));

describe('slots for connections to the payment service', () => {
  test('are assigned in the order of the calls', async () => {
    const slots = new ConnectionSlots(1);
    const order: string[] = [];
    await slots.take(never);
    const both = ['first', 'second'].map(async (name) => {
      await slots.take(never);
      order.push(name);
      slots.release();
    });
    slots.release();
    await Promise.all(both);
    expect(order).toEqual(['first', 'second']);
  });

  test('are not assigned to a call that was stopped while it waited', async () => {
    const slots = new ConnectionSlots(1);
    await slots.take(never);
    await expect(slots.take(stoppedWhen(Promise.resolve()))).resolves.toBe(false);
    slots.release();
    await expect(slots.take(never)).resolves.toBe(true);
  });

  test('are assigned to a call that is stopped at the moment when it gets its slot', async () => {
    const slots = new ConnectionSlots(1);
    await slots.take(never);
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const taken = slots.take(stoppedWhen(stopped));
    stop();
    slots.release();
    await expect(taken).resolves.toBe(true);
  });
});
