import { settlesAtMs } from './reconciliation-file';
import { likelyAmount } from './scenarios';
import type { SandboxSession } from './session';
import type { EventResult, SessionStore } from './session-store';
import { transition, type SessionEvent } from './transitions';

/** Acts that a developer can choose for a session. At the real service, they come from the payor, the merchant or the passing of time. */
const CHOICES = {
  completed: 'Complete the payment',
  bankValidated: 'Validate the account, sign later',
  padSigned: 'Sign the agreement',
  loginFailed: 'Fail to log in',
  identityFailed: 'Not be the account’s holder',
  insufficientFunds: 'Have too little money',
  noGuarantee: 'Get no guarantee',
  cancelled: 'Cancel it, as its merchant',
  expired: 'Let it expire',
} as const;

export type Choice = keyof typeof CHOICES;

export const CHOICE_NAMES = Object.keys(CHOICES) as Choice[];

export const toChoice = (value: string | null): Choice | undefined =>
  CHOICE_NAMES.find((choice) => choice === value);

/** The sandbox's option that decides whether a merchant can cancel a session that waits only for its signature (contract A55). */
interface CancelOption {
  readonly cancellableWhileUnsigned: boolean;
}

/** Returns the choices that a session would accept, with their texts. */
export function choicesOf(
  { state }: SandboxSession,
  option: CancelOption,
): readonly { choice: Choice; text: string }[] {
  const ready = state.amount === null ? { ...state, amount: likelyAmount(state) } : state;
  return CHOICE_NAMES.filter(
    (choice) => transition(ready, eventOf(choice, option), state.touchedAtMs).accepted,
  ).map((choice) => ({ choice, text: CHOICES[choice] }));
}

/** Makes a choice now. If the choice needs an amount that the payor has not entered yet, enters a likely one first. */
export function play(
  sessions: SessionStore,
  { sessionId, state }: SandboxSession,
  choice: Choice,
  option: CancelOption,
): EventResult {
  const event = eventOf(choice, option);
  const result = sessions.apply(sessionId, event);
  if (result.accepted || result.reason !== 'amountMissing') return result;
  sessions.apply(sessionId, { type: 'amountEntered', amount: likelyAmount(state) });
  return sessions.apply(sessionId, event);
}

/**
 * Settles a paid payment now, if it has not settled yet. With a return code, the payment also comes back now. Returns the session, or
 * `undefined` if it is not paid.
 */
export function moveMoney(
  sessions: SessionStore,
  session: SandboxSession,
  { nowMs, returnCode }: { readonly nowMs: number; readonly returnCode?: string | undefined },
): SandboxSession | undefined {
  const plannedAtMs = settlesAtMs(session);
  if (plannedAtMs === undefined) return undefined;
  const { sessionId, state } = session;
  const atMs = Math.min(plannedAtMs, nowMs);
  sessions.planMoney(sessionId, {
    settlesAfterMs: atMs - (state.endedAtMs ?? atMs),
    ...(returnCode !== undefined && { returns: { afterMs: nowMs - atMs, code: returnCode } }),
  });
  return sessions.get(sessionId);
}

const eventOf = (choice: Choice, { cancellableWhileUnsigned }: CancelOption): SessionEvent =>
  choice === 'cancelled' ? { type: 'cancelled', evenUnsigned: cancellableWhileUnsigned } : { type: choice };
