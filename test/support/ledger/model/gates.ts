/** The outcome of a step, which the test decides while the work waits at the gate before that step. */
export type How =
  /** The step succeeds. */
  | 'ok'
  /** The step succeeds, but its answer is lost. */
  | 'lost'
  /** The step is not carried out, and there is no answer. */
  | 'away'
  /** The step is refused. */
  | 'refused';
export const HOWS = ['ok', 'lost', 'away', 'refused'] as const satisfies readonly How[];

/** The error at a gate if the test abandons the work. */
class Abandoned extends Error {}

export const isAbandoned = (error: unknown): boolean => error instanceof Abandoned;

/** The gates of one piece of work. At a gate, the work waits until the test decides the outcome of the next step. */
export class Gates {
  #waiting:
    | { readonly name: string; readonly pass: (how: How) => void; readonly abandon: () => void }
    | undefined;
  #arrived: (() => void) | undefined;
  #isOver = false;

  /** The gate at which the work waits; `undefined` while the work runs and after its end. */
  get at(): string | undefined {
    return this.#waiting?.name;
  }

  /** Waits at a gate, and returns the outcome of the next step. Called by the work. */
  async wait(name: string): Promise<How> {
    if (this.#isOver) throw new Abandoned();
    return new Promise<How>((pass, reject) => {
      this.#waiting = {
        name,
        pass,
        abandon: () => {
          reject(new Abandoned());
        },
      };
      this.#arrived?.();
    });
  }

  /** Lets the work pass its current gate. Waits until the work is at its next gate or has `ended`. */
  async pass(how: How, ended: Promise<unknown>): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.pass(how);
    await this.reached(ended);
  }

  /** Waits until the work is at a gate or has ended. */
  async reached(ended: Promise<unknown>): Promise<void> {
    if (this.#waiting !== undefined) return;
    await Promise.race([ended, new Promise<void>((resolve) => (this.#arrived = resolve))]);
    this.#arrived = undefined;
  }

  /** Ends the work, now or at its next gate. */
  abandon(): void {
    this.#isOver = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.abandon();
  }
}
