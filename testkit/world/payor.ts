import type { SessionEvent } from '../../sandbox';
import { toMilliseconds, type Duration } from '../../src/protocol/duration';
import type { VirtualTime } from './virtual-time';
import type { WorldServices } from './world-services';
import { likelyAmount } from '../../sandbox/sessions/scenarios';
import type { PlainEvent } from '../../sandbox/sessions/transitions';

/**
 * The person at the hosted flow, played by the test. Each action happens now, or after the delay of `after`. It rejects with an `Error` if
 * the session refuses it. A planned action that the session refuses has no effect.
 */
export interface WorldPayor {
  /** The payment service's id of the payor's session. */
  readonly sessionId: string;
  /** The same payor, acting this much later: `payor.after('10m').completes()`. */
  after(delay: Duration): WorldPayor;
  /** Opens the page. */
  arrives(): Promise<void>;
  /** Enters an amount, in dollars, if the request presets none. */
  entersAmount(dollars: number): Promise<void>;
  /** Pays: `Completed`/`EFT0301`. Enters 25 dollars, or the nearest amount allowed, if there is no amount yet. */
  completes(): Promise<void>;
  /** Validates the bank account, and does not sign the PAD agreement yet: `Completed`/`EFT0302`. */
  validatesBank(): Promise<void>;
  /** Signs the PAD agreement of a validated account: `Completed`/`EFT0301`. */
  signsPad(): Promise<void>;
  /** Validates the bank account now, and signs the PAD agreement this much later. */
  signsPadAfter(delay: Duration): Promise<void>;
  /** Cannot log in at the bank: `Failed`/`EFT0401`. */
  failsLogin(): Promise<void>;
  /** Does not match the bank account: `Failed`/`EFT0403`. */
  failsIdentity(): Promise<void>;
  /** Has too little money: `Failed`/`EFT0404`. */
  hasInsufficientFunds(): Promise<void>;
  /**
   * Makes the payment come back this long after it has settled, with a code (`901`: not sufficient funds).
   * `world.sandbox.reconciliation` shows it. Completes the payment first, unless the payor has paid or a later payment is planned.
   */
  returnsAfter(delay: Duration, code?: string): Promise<void>;
  /** Opens the page and never comes back: the session expires after being idle for too long (`Expired`/`EFT0601`). */
  leaves(): Promise<void>;
}

/** The parts of a world that a payor uses. */
export interface PayorContext {
  readonly services: Pick<WorldServices, 'holding'>;
  readonly time: VirtualTime;
}

/** @param delayMs how much later than now the payor acts */
export function payorOf(context: PayorContext, sessionId: string, delayMs = 0): WorldPayor {
  const play = (event: PlainEvent) => act(context, sessionId, delayMs, event);
  const pay = async (event: PlainEvent) => {
    await enterMissingAmount(context, sessionId, delayMs);
    await play(event);
  };
  const later = (delay: Duration) => payorOf(context, sessionId, delayMs + milliseconds(delay));
  return {
    sessionId,
    after: later,
    arrives: () => play('payorStarted'),
    entersAmount: (amount) => act(context, sessionId, delayMs, { type: 'amountEntered', amount }),
    completes: () => pay('completed'),
    validatesBank: () => pay('bankValidated'),
    signsPad: () => play('padSigned'),
    signsPadAfter: async (delay) => {
      await pay('bankValidated');
      await later(delay).signsPad();
    },
    failsLogin: () => play('loginFailed'),
    failsIdentity: () => play('identityFailed'),
    hasInsufficientFunds: () => play('insufficientFunds'),
    returnsAfter: async (delay, code) => {
      await context.time.sync();
      const pays = isUnpaid(context, sessionId);
      if (pays) await pay('completed');
      const afterMs = (pays ? 0 : delayMs) + milliseconds(delay);
      if (context.services.holding(sessionId)?.returnAfter(sessionId, afterMs, code) !== true)
        throw refused(sessionId, 'unknownSession');
    },
    leaves: () => play('payorStarted'),
  };
}

/** True if the payor has not paid, and no payment is planned. */
function isUnpaid({ services }: PayorContext, sessionId: string): boolean {
  const session = services.holding(sessionId)?.session(sessionId);
  return session?.state.status === 'Initiated' && session.plan.length === 0;
}

/** Milliseconds of a duration. Throws `RangeError` if it is not one. */
export function milliseconds(duration: Duration): number {
  const value = toMilliseconds(duration);
  if (value === undefined) throw new RangeError(`"${duration}" is not milliseconds or text such as "15m"`);
  return value;
}

async function act(
  { services, time }: PayorContext,
  sessionId: string,
  delayMs: number,
  event: PlainEvent | SessionEvent,
): Promise<void> {
  await time.sync();
  const sandbox = services.holding(sessionId);
  if (sandbox === undefined) throw refused(sessionId, 'unknownSession');
  if (delayMs > 0) {
    sandbox.actAt(sessionId, time.now() + delayMs, event);
    return;
  }
  const result = sandbox.act(sessionId, event);
  if (!result.accepted) throw refused(sessionId, result.reason);
}

async function enterMissingAmount(context: PayorContext, sessionId: string, delayMs: number): Promise<void> {
  await context.time.sync();
  const state = context.services.holding(sessionId)?.session(sessionId)?.state;
  if (state?.amount !== null || state.status !== 'Initiated') return;
  await act(context, sessionId, delayMs, { type: 'amountEntered', amount: likelyAmount(state) });
}

function refused(sessionId: string, reason: string): Error {
  return new Error(`The session ${sessionId} refuses the payor’s action: ${reason}.`);
}
