import type { SessionState, StateHistoryEntry } from 'paysession';
import type { Language } from '../language';
import { MESSAGES, TEXTS, type Message } from '../texts';
import type { Money } from './money';

/** The facts about an order that its page depends on. */
export interface OrderFacts {
  readonly state: SessionState;
  readonly history: readonly StateHistoryEntry[];
  /**
   * The progress of the money, as webhooks have reported it. Absent if the shop receives no webhooks. Then nothing
   * on the page changes after the session's end.
   */
  readonly money?: Money | undefined;
}

/** The payment as the order's page shows it, in the reader's language. */
export interface OrderView {
  readonly headline: string;
  readonly detail: string;
  readonly tone: 'waiting' | 'good' | 'bad';
  /**
   * Says what the page does with the embedded flow. `usable`: opens it. `kept`: leaves it open if it is open. `gone`: closes
   * it.
   */
  readonly flow: 'usable' | 'kept' | 'gone';
  readonly cancellable: boolean;
  /** True if the payment session has ended. */
  readonly ended: boolean;
  /** True if no further change is possible, so that the stream of events ends. */
  readonly isLast: boolean;
  readonly checkoutUrl?: string;
  /** The payment's states so far. `at` is when a worker first saw the state (ISO 8601, UTC). */
  readonly history: readonly { readonly at: string; readonly state: string; readonly source: string }[];
}

interface Shown extends Pick<OrderView, 'tone' | 'flow'> {
  readonly message: Message;
}

export function orderView({ state, history, money }: OrderFacts, language: Language): OrderView {
  const ended = state.phase === 'ended';
  const byWebhooks = shownForMoney(money);
  const { message, tone, flow } = byWebhooks ?? shownFor(state);
  const mayMoneyChange = money !== undefined && money !== 'cameBack' && state.paid;
  const { checkoutUrl } = state;
  return {
    headline: message.headline[language],
    detail: message.detail[language],
    tone,
    flow,
    cancellable:
      !ended && byWebhooks === undefined && state.phase !== 'cancelling' && state.status !== 'Completed',
    ended,
    isLast: ended && !mayMoneyChange,
    ...(checkoutUrl !== undefined && { checkoutUrl }),
    history: history.map(({ firstSeenAt, status, code, source }) => ({
      at: firstSeenAt,
      state: [status, code].filter((part) => part !== undefined).join(' '),
      source: TEXTS.sources[source][language],
    })),
  };
}

/**
 * Returns what to show about the order's money, or `undefined` if webhooks have reported nothing. Only webhooks report
 * that money has arrived or come back. A webhook may also report a payment before the shop has read the session's new
 * state.
 */
function shownForMoney(money: Money | undefined): Shown | undefined {
  switch (money) {
    case 'paid':
      return good(MESSAGES.paid);
    case 'arrived':
      return good(MESSAGES.arrived);
    case 'cameBack':
      return bad(MESSAGES.cameBack);
    case 'unknown':
    case undefined:
      return undefined;
  }
}

function shownFor(state: SessionState): Shown {
  if (state.failure !== undefined) return bad(MESSAGES.unopened(state.failure.code));
  switch (state.phase) {
    case 'creating':
      return waiting(MESSAGES.creating, 'gone');
    case 'parked':
      return waiting(MESSAGES.parked, 'gone');
    case 'cancelling':
      return waiting(MESSAGES.cancelling, 'kept');
    default:
      return shownForStatus(state);
  }
}

function shownForStatus({ status, code, paid, unsigned, unverified }: SessionState): Shown {
  switch (status) {
    case undefined:
    case 'Initiated':
      return waiting(MESSAGES.open, 'usable');
    case 'Completed':
      if (paid) return good(MESSAGES.paid);
      if (unsigned) return bad(MESSAGES.neverSigned);
      if (code === 'EFT0302' && !unverified) return waiting(MESSAGES.unsigned, 'usable');
      return waiting(MESSAGES.unsure, 'gone');
    case 'Failed':
      return bad(MESSAGES.failed(code ?? ''), 'kept');
    case 'Cancelled':
      return bad(MESSAGES.cancelled);
    case 'Expired':
      return bad(MESSAGES.expired);
    default:
      return waiting(MESSAGES.other(status), 'usable');
  }
}

const waiting = (message: Message, flow: Shown['flow']): Shown => ({ message, tone: 'waiting', flow });

const good = (message: Message): Shown => ({ message, tone: 'good', flow: 'gone' });

const bad = (message: Message, flow: Shown['flow'] = 'gone'): Shown => ({ message, tone: 'bad', flow });
