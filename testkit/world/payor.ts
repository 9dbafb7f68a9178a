import type { SessionEvent } from '../../sandbox';
import { toMilliseconds, type Duration } from '../../src/protocol/duration';
import type { VirtualTime } from './virtual-time';
import type { WorldServices } from './world-services';
import { likelyAmount } from '../../sandbox/sessions/scenarios';
import type { PlainEvent } from '../../sandbox/sessions/transitions';

/**
 * The payor, played by the test: the person who pays at the payment service's hosted page.
 *
 * Each action happens now. With `after`, an action is planned for later. An action rejects with an `Error` if the world has no such session,
 * or if the session refuses the action. If the session refuses a planned action, nothing happens. A delay that is malformed or above 366 days
 * causes a `RangeError`.
 *
 * The codes below, such as `EFT0301`, are those of an EFT. An e-Transfer has no codes, and refuses `validatesBank` and `signsPad`.
 */
export interface WorldPayor {
  /** The payment service's id of the payor's session. */
  readonly sessionId: string;
  /** Returns a payor for this session whose actions happen this much later: `payor.after('10m').completes()`. */
  after(delay: Duration): WorldPayor;
  /** Opens the hosted page. */
  arrives(): Promise<void>;
  /** Enters an amount, in dollars. The session refuses the action if its amount is fixed, or if the amount is out of bounds. */
  entersAmount(dollars: number): Promise<void>;
  /** Pays: `Completed`/`EFT0301`. If the session has no amount yet, first enters 25 dollars, or the nearest amount that is allowed. */
  completes(): Promise<void>;
  /** Validates the bank account, but does not sign the PAD agreement (pre-authorized debit) yet: `Completed`/`EFT0302`. */
  validatesBank(): Promise<void>;
  /** Signs the PAD agreement after the bank account was validated: `Completed`/`EFT0301`. */
  signsPad(): Promise<void>;
  /** Validates the bank account, and signs the PAD agreement this much later. */
  signsPadAfter(delay: Duration): Promise<void>;
  /** Cannot log in at the bank: `Failed`/`EFT0401`. */
  failsLogin(): Promise<void>;
  /** Has a name that does not match the bank account: `Failed`/`EFT0403`. */
  failsIdentity(): Promise<void>;
  /** Has too little money: `Failed`/`EFT0404`. */
  hasInsufficientFunds(): Promise<void>;
  /**
   * Makes the money come back this long after it has arrived, with a return code, by default `901` (not sufficient funds). If the session is
   * `Initiated` and no action is planned, completes the payment first. For the account `default`, `world.sandbox.reconciliation` lists the
   * return.
   */
  returnsAfter(delay: Duration, code?: string): Promise<void>;
  /** Opens the page and never comes back. The session expires after it was idle for too long: `Expired`/`EFT0601`. */
  leaves(): Promise<void>;
}

/** The parts of a world that a payor uses. */
export interface PayorContext {
  readonly services: Pick<WorldServices, 'holding'>;
  readonly time: VirtualTime;
}

/** @param delayMs the time from now until the payor acts, in milliseconds */
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
      const signer = later(delay);
      await pay('bankValidated');
      await signer.signsPad();
    },
    failsLogin: () => play('loginFailed'),
    failsIdentity: () => play('identityFailed'),
    hasInsufficientFunds: () => play('insufficientFunds'),
    returnsAfter: async (delay, code) => {
      const afterMs = milliseconds(delay);
      await context.time.sync();
      if (isUnpaid(context, sessionId)) await pay('completed');
      if (context.services.holding(sessionId)?.returnAfter(sessionId, afterMs, code) !== true)
        throw unknown(sessionId);
    },
    leaves: () => play('payorStarted'),
  };
}

/** True if the session is `Initiated` and no action of its payor is planned. */
function isUnpaid({ services }: PayorContext, sessionId: string): boolean {
  const session = services.holding(sessionId)?.session(sessionId);
  return session?.state.status === 'Initiated' && session.plan.length === 0;
}

/** Converts a duration to milliseconds. Throws `RangeError` if the duration is malformed, negative or above 366 days. */
export function milliseconds(duration: Duration): number {
  const value = toMilliseconds(duration);
  if (value === undefined)
    throw new RangeError(
      `"${duration}" is not a duration of at most 366 days: milliseconds, or text such as "15m"`,
    );
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
  if (sandbox === undefined) throw unknown(sessionId);
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

function unknown(sessionId: string): Error {
  return new Error(
    `The world has no session ${sessionId}. Pass the payment service’s session id to \`payor\`, or the payment’s key to \`payorOf\`.`,
  );
}

function refused(sessionId: string, reason: string): Error {
  return new Error(`The session ${sessionId} refuses the payor’s action: ${reason}.`);
}
