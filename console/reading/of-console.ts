import type { ConsoleOptions } from '../server/options';
import { Live } from './live';
import { Reading } from './reading';

/** What all pages of a console share. */
export interface Shared {
  readonly reading: Reading;
  readonly live: Live;
}

const SHARED = new WeakMap<ConsoleOptions, Shared>();

/** What the pages of the console with these options share. */
export function sharedOf(options: ConsoleOptions): Shared {
  const known = SHARED.get(options);
  if (known !== undefined) return known;
  const reading = new Reading(options.client, options.taskQueue);
  const shared = { reading, live: new Live() };
  SHARED.set(options, shared);
  return shared;
}
