import type { WorkerOptions } from '@temporalio/worker';
import { WaitingRoom } from '../src/service';

/** The default number of activity slots. It is high, because most activities only wait: to send a call, or for its answer. */
const ACTIVITY_SLOTS = 500;
/** If waiting calls occupy this share of the activity slots, further polls may not wait. Creates and cancels still may. */
const POLLS_SHARE = 0.8;
/** If waiting calls occupy this share of the slots, further creates may not wait either. The rest is for cancels and running calls. */
const WAITING_SHARE = 0.9;

type SlotOptions = Pick<WorkerOptions, 'tuner' | 'maxConcurrentActivityTaskExecutions'>;

/** Returns the option that sets the number of activity slots. Temporal refuses it together with a tuner, which sets its own number. */
export const slotOptions = (options: SlotOptions = {}): SlotOptions =>
  options.tuner === undefined ? { maxConcurrentActivityTaskExecutions: slotsOf(options) } : {};

/** Returns a waiting room with fewer places than the worker has activity slots, so that cancels always find a free slot. */
export function waitingRoomOf(options: SlotOptions = {}): WaitingRoom {
  const slots = slotsOf(options);
  return new WaitingRoom({
    polls: Math.floor(slots * POLLS_SHARE),
    all: Math.floor(slots * WAITING_SHARE),
  });
}

/** Returns the maximum number of activity slots. Only a tuner with a slot supplier of your own does not say it: then, the default counts. */
function slotsOf({ tuner, maxConcurrentActivityTaskExecutions: most = ACTIVITY_SLOTS }: SlotOptions): number {
  if (tuner === undefined) return most;
  if (!('activityTaskSlotSupplier' in tuner)) return tuner.activityTaskSlotOptions?.maximumSlots ?? most;
  const supplier = tuner.activityTaskSlotSupplier;
  if (supplier.type === 'fixed-size') return supplier.numSlots;
  return supplier.type === 'resource-based' ? (supplier.maximumSlots ?? most) : most;
}
