import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Away, Strike } from '../plan/plan';
import type { Disturbance, TemporalHost } from '../processes/temporal-host';
import type { LedgerHost } from '../ledger/ledger-host';
import type { Fleet, Key } from '../processes/fleet';

/** A record of a strike: an act against a process, such as a kill, a freeze, or a wrong clock. */
export interface Struck extends Disturbance {
  readonly strike: Strike | 'leave';
  /** The call and the stage at which the strike happened. For some strikes, also the process or the kind of cut. */
  where: string;
  /** The time until the system answered a call again, in milliseconds; absent if there was no call. */
  recoveryMs?: number;
  /** The time at which the stopped part was back, in milliseconds since 1970. */
  backMs?: number;
}

/** The longest time after each strike until the Temporal server has noticed a lost worker or task, in milliseconds. */
const NOTICED_AFTER_MS: Readonly<Record<Struck['strike'], number>> = {
  killWorker: 33_000,
  terminateWorker: 3_000,
  freezeWorker: 12_000,
  killTemporal: 12_000,
  rotateKeys: 5_000,
  withholdKey: 33_000,
  rollOut: 5_000,
  wrongSecret: 5_000,
  clockForward: 5_000,
  clockBack: 5_000,
  killLedger: 12_000,
  cutCommit: 5_000,
  leave: 12_000,
};
/** The time for which a worker has a wrong secret or a wrong clock, in milliseconds. */
const WRONG_FOR_MS = 6_000;
const CLOCK_OFF_MS = 10 * 60_000;
/** The times, in milliseconds, for which a killed ledger stays down. Kills use them in turn. Some callers wait until the ledger is back. */
const LEDGER_AWAY_MS = [0, 3_000, 1_000];

export interface StrikeDeskOptions {
  readonly fleet: Fleet;
  readonly temporal: TemporalHost;
  /** @default there is no ledger */
  readonly ledger?: LedgerHost | undefined;
  /** Makes all callers and workers use another encryption key. */
  readonly rotateKeys: () => Promise<void>;
}

/** The strikes against the ledger. All others are against workers or the Temporal server. */
const LEDGER_STRIKES: readonly Strike[] = ['killLedger', 'cutCommit'];

/** The parts of the system. Each part is struck by only one strike at a time. */
type Part = 'ledger' | 'processes';

const CHECK_EVERY_MS = 50;

/**
 * Carries out the strikes of all sessions, one after the other. A strike against the ledger may happen at the same time as a strike against
 * a process.
 */
export class StrikeDesk {
  /** Oldest first. */
  readonly struck: Struck[] = [];
  readonly #busy = new Set<Part>();
  #ledgerKills = 0;
  readonly #options: StrikeDeskOptions;

  constructor(options: StrikeDeskOptions) {
    this.#options = options;
  }

  /**
   * Carries out a strike, and returns true. If another strike against the same part is still going on, or if the worker is not running,
   * does nothing and returns false. `probe` is a call to the system. It must be answered while the worker is frozen or the process is gone.
   */
  async strike(
    strike: Strike,
    { worker, where }: { readonly worker: string; readonly where: string },
    probe: () => Promise<unknown>,
  ): Promise<boolean> {
    const { fleet } = this.#options;
    const struckPart = LEDGER_STRIKES.includes(strike) ? 'ledger' : 'processes';
    if (this.#busy.has(struckPart)) return false;
    if (struckPart === 'processes' && !fleet.has(worker)) return false;
    this.#busy.add(struckPart);
    const struck: Struck & { readonly strike: Strike } = {
      strike,
      where,
      atMs: Date.now(),
      quietFromMs: Infinity,
    };
    this.struck.push(struck);
    const isOver = this.#carryOut(struck, worker, async () => {
      await probe();
      struck.recoveryMs = Date.now() - struck.atMs;
    });
    void isOver.after.finally(() => {
      struck.quietFromMs = Date.now() + NOTICED_AFTER_MS[strike];
      this.#busy.delete(struckPart);
    });
    await isOver.here;
    return true;
  }

  /** Waits for the end of the current strike against a part. Then does work during which the part must not be struck. */
  async alone(part: Part, work: () => Promise<void>): Promise<void> {
    while (this.#busy.has(part)) await sleep(CHECK_EVERY_MS);
    this.#busy.add(part);
    try {
      await work();
    } finally {
      this.#busy.delete(part);
    }
  }

  /** Begins a strike. The session's call continues after `here`. The next strike against the part may begin after `after`. */
  #carryOut(
    struck: Struck & { readonly strike: Strike },
    worker: string,
    probe: () => Promise<unknown>,
  ): { here: Promise<unknown>; after: Promise<unknown> } {
    const { fleet, temporal, rotateKeys } = this.#options;
    switch (struck.strike) {
      case 'killWorker': {
        const here = fleet.end(worker, 'SIGKILL').then(probe);
        return { here, after: here.then(() => fleet.ready()) };
      }
      case 'terminateWorker': {
        const gone = fleet.end(worker, 'SIGTERM');
        return { here: probe(), after: gone.then(() => fleet.ready()) };
      }
      case 'freezeWorker': {
        const thaw = fleet.freeze(worker);
        const here = probe().finally(thaw);
        return { here, after: here };
      }
      case 'killTemporal': {
        const here = temporal
          .killAndRestart()
          .then((process) => {
            struck.where += ` ${process}`;
          })
          .then(probe);
        return { here, after: here };
      }
      case 'withholdKey': {
        const here = fleet.misdeploy(worker, { keys: [newKey(0, randomBytes(32))] }).then(probe);
        return { here, after: here.then(() => fleet.repairDeployment()) };
      }
      case 'wrongSecret': {
        const here = fleet.misdeploy(worker, { isSecretWrong: true }).then(probe);
        return { here, after: here.then(() => sleep(WRONG_FOR_MS)).then(() => fleet.repairDeployment()) };
      }
      case 'clockForward':
        return this.#putClock(worker, CLOCK_OFF_MS, probe);
      case 'clockBack':
        return this.#putClock(worker, -CLOCK_OFF_MS, probe);
      case 'rotateKeys':
        return { here: Promise.resolve(), after: rotateKeys() };
      case 'rollOut':
        return { here: Promise.resolve(), after: fleet.rollOut() };
      case 'killLedger':
        return this.#killLedger(probe);
      case 'cutCommit': {
        const isCut = this.#ledger.cutNextCommit().then((cut) => {
          struck.where += ` ${cut}`;
        });
        return { here: Promise.resolve(), after: isCut };
      }
    }
  }

  get #ledger(): LedgerHost {
    const { ledger } = this.#options;
    if (ledger === undefined)
      throw new Error('the plan strikes a ledger, and there is none: run it with --ledger');
    return ledger;
  }

  /** Kills the ledger. The session's call continues while the ledger is down. */
  #killLedger(probe: () => Promise<unknown>): { here: Promise<unknown>; after: Promise<unknown> } {
    const ledger = this.#ledger;
    const awayMs = LEDGER_AWAY_MS[this.#ledgerKills % LEDGER_AWAY_MS.length];
    this.#ledgerKills += 1;
    const here = ledger.kill();
    const after = here
      .then(() => sleep(awayMs))
      .then(() => ledger.start())
      .then(probe);
    return { here, after };
  }

  #putClock(
    worker: string,
    offMs: number,
    probe: () => Promise<unknown>,
  ): { here: Promise<unknown>; after: Promise<unknown> } {
    const { fleet } = this.#options;
    fleet.putClock(worker, offMs);
    const after = sleep(WRONG_FOR_MS).then(() => {
      fleet.putClock(worker, 0);
    });
    return { here: probe(), after };
  }

  /**
   * Stops all workers, the Temporal server or the ledger for some seconds (a planned outage). Calls `meanwhile` when the outage has begun.
   */
  async holdOutage({ who, seconds }: Away, meanwhile: () => void): Promise<void> {
    const { fleet, temporal } = this.#options;
    const struck: Struck = { strike: 'leave', where: who, atMs: Date.now(), quietFromMs: Infinity };
    this.struck.push(struck);
    const forMs = seconds * 1_000;
    if (who === 'temporal') {
      const isBack = temporal.leaveFor(forMs);
      meanwhile();
      await isBack;
    } else if (who === 'ledger') {
      await this.#ledger.kill();
      meanwhile();
      await sleep(forMs);
      await this.#ledger.start();
    } else {
      await fleet.goDown();
      meanwhile();
      await sleep(forMs);
      await fleet.comeBack();
    }
    struck.backMs = Date.now();
    struck.quietFromMs = struck.backMs + NOTICED_AFTER_MS.leave;
  }

  /**
   * Returns the time at which the system has noticed every strike since `sinceMs`. Includes the strikes of another campaign that shares the
   * Temporal server.
   */
  quietFromMs(sinceMs: number): number {
    const later = this.#all().filter(({ quietFromMs }) => quietFromMs > sinceMs);
    return Math.max(sinceMs, ...later.map(({ quietFromMs }) => quietFromMs));
  }

  /** Returns the number of strikes that may affect the time between two moments. */
  countBetween(fromMs: number, toMs: number): number {
    return this.#all().filter(({ atMs, quietFromMs }) => atMs <= toMs && quietFromMs >= fromMs).length;
  }

  #all(): readonly Disturbance[] {
    return [...this.struck, ...(this.#options.temporal.disturbances ?? [])];
  }
}

/** Makes a key with a new id. */
export function newKey(number: number, secret: Uint8Array): Key {
  return { id: `faults-${number}`, secret: Buffer.from(secret).toString('base64') };
}
