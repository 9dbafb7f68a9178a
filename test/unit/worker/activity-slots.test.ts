import { expect, test } from '@jest/globals';
import { slotOptions, waitingRoomOf } from '../../../worker/activity-slots';

const RESOURCES = { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 0.8 } };
const resourceBased = { type: 'resource-based', ...RESOURCES } as const;
const holder = (activityTaskSlotSupplier: object) => ({
  tuner: {
    workflowTaskSlotSupplier: resourceBased,
    activityTaskSlotSupplier: activityTaskSlotSupplier as typeof resourceBased,
    localActivityTaskSlotSupplier: resourceBased,
    nexusTaskSlotSupplier: resourceBased,
  },
});

// Waiting polls may occupy four fifths of the activity slots, so that a cancel finds a free slot.
test.each([
  ['no options', {}, 400],
  ['a number of slots', { maxConcurrentActivityTaskExecutions: 100 }, 80],
  ['a tuner with a fixed number of slots', holder({ type: 'fixed-size', numSlots: 100 }), 80],
  ['a tuner with a slot supplier that has a maximum', holder({ ...resourceBased, maximumSlots: 50 }), 40],
  ['a tuner with a slot supplier without a maximum', holder(resourceBased), 400],
  ['a tuner with a maximum', { tuner: { ...RESOURCES, activityTaskSlotOptions: { maximumSlots: 50 } } }, 40],
  ['a tuner without a maximum', { tuner: RESOURCES }, 400],
])('with %s, waiting polls leave a fifth of the activity slots free', (_options, options, polls) => {
  const room = waitingRoomOf(options);
  const entered = Array.from({ length: 1_000 }, () => room.enter('poll')).filter((isIn) => isIn).length;
  expect(entered).toBe(polls);
  expect(room.enter('cancel')).toBe(true);
});

test('the number of activity slots is set only without a tuner, because Temporal refuses both together', () => {
  expect(slotOptions({ maxConcurrentActivityTaskExecutions: 7 })).toEqual({
    maxConcurrentActivityTaskExecutions: 7,
  });
  expect(slotOptions(holder({ type: 'fixed-size', numSlots: 100 }))).toEqual({});
});
