import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpProblem } from '../../src/web/problems';
import type { CallPhase, Faults, FaultyRoute, Hold } from '../calls/faults';

/** A hold as the control port shows it: `armed` until a call arrives at it. */
export interface HoldView {
  readonly holdId: string;
  readonly route: FaultyRoute;
  readonly phase: CallPhase;
  readonly state: 'armed' | 'reached';
}

interface Entry {
  view: HoldView;
  readonly hold: Hold;
}

const MAX_HOLDS = 1_000;

/** The holds that were set through the control port, by id. */
export class Holds {
  readonly #entries = new Map<string, Entry>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  add({ route, phase }: Pick<HoldView, 'route' | 'phase'>): HoldView {
    if (this.#entries.size >= MAX_HOLDS)
      throw new HttpProblem(409, `There can be at most ${MAX_HOLDS} holds at once: release some first.`);
    const holdId = randomUUID();
    const hold = this.#faults.hold(route, phase);
    const entry: Entry = { view: { holdId, route, phase, state: 'armed' }, hold };
    this.#entries.set(holdId, entry);
    void hold.reached.then(() => {
      entry.view = { ...entry.view, state: 'reached' };
    });
    return entry.view;
  }

  all(): readonly HoldView[] {
    return [...this.#entries.values()].map(({ view }) => view);
  }

  /** Returns the hold once a call has arrived at it, or after `waitMs`. */
  async read(holdId: string, waitMs: number): Promise<HoldView> {
    const entry = this.#entryOf(holdId);
    const patience = new AbortController();
    const timeUp = sleep(waitMs, undefined, { signal: patience.signal, ref: false }).catch(() => undefined);
    await Promise.race([entry.hold.reached, timeUp]);
    patience.abort();
    return entry.view;
  }

  /** Lets the waiting call continue. If no call has arrived yet, cancels the hold. */
  release(holdId: string): void {
    this.#entryOf(holdId).hold.withdraw();
    this.#entries.delete(holdId);
  }

  releaseAll(): void {
    for (const holdId of [...this.#entries.keys()]) this.release(holdId);
  }

  #entryOf(holdId: string): Entry {
    const entry = this.#entries.get(holdId);
    if (entry === undefined) throw new HttpProblem(404, 'There is no such hold.');
    return entry;
  }
}
