/** The outcome of the step behind a gate. */
export type How =
  /** It succeeds. */
  | 'ok'
  /** It succeeds, but its answer is lost. */
  | 'lost'
  /** It is not done, and there is no answer. */
  | 'away'
  /** It is refused. */
  | 'refused';
export const HOWS = ['ok', 'lost', 'away', 'refused'] as const satisfies readonly How[];

/** Thrown at a gate if the work is abandoned. */
class Abandoned extends Error {}

export const isAbandoned = (error: unknown): boolean => error instanceof Abandoned;

/** The gates of one piece of work: places where it waits until the test decides the outcome of its next step. */
export class Gates {
  #waiting:
    { readonly name: string; readonly pass: (how: How) => void; readonly abandon: () => void } | undefined;
  #arrived: (() => void) | undefined;
  #isOver = false;

  /** The gate at which the work waits; `undefined` while the work runs and after its end. */
  get at(): string | undefined {
    return this.#waiting?.name;
  }

  /** Waits at a gate, and returns the outcome of the next step. The work calls it. */
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

  /** Lets the work pass its gate, if it is at one, and waits until it is at the next one or has `ended`. */
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
