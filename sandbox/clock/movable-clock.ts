import type { Journal } from '../data/journal';
import { singleRecord } from '../data/single-record';
import type { Clock } from './clock';

/** A clock that goes on as another one does, ahead of it by as much as it was moved. */
export class MovableClock implements Clock {
  readonly #base: Clock;
  readonly #record;
  #offsetMs = 0;

  constructor(base: Clock, journal: Journal) {
    this.#base = base;
    this.#record = singleRecord<number>(journal, 'clock', (offsetMs = 0) => {
      this.#offsetMs = offsetMs;
    });
  }

  /** By how much it was moved so far, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  moveTo(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#record.put(offsetMs);
  }
}
