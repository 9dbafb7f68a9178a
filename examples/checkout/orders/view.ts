import type { SessionState, StateHistoryEntry } from 'paysession';
import type { Money } from './money';

/** What the order's page shows of its payment session. */
export interface OrderView {
  readonly headline: string;
  readonly detail: string;
  readonly tone: 'waiting' | 'good' | 'bad';
  /** Whether the flow is worth showing: `usable`, `kept` for the payor to read its last page, or `gone`. */
  readonly flow: 'usable' | 'kept' | 'gone';
  readonly cancellable: boolean;
  /** The payment session is over. */
  readonly ended: boolean;
  /** Nothing will change any more. */
  readonly isLast: boolean;
  readonly checkoutUrl?: string;
  readonly history: readonly StateHistoryEntry[];
}

type Told = Pick<OrderView, 'headline' | 'detail' | 'tone' | 'flow'>;

/** Without `money`, the shop takes no news, and nothing is told once the session is over. */
export function orderView(
  state: SessionState,
  history: readonly StateHistoryEntry[],
  money?: Money,
): OrderView {
  const ended = state.phase === 'ended';
  const mayMove = money !== undefined && money !== 'cameBack' && state.paid;
  const { checkoutUrl } = state;
  return {
    ...(tellMoney(money) ?? tell(state)),
    cancellable: !ended && state.phase !== 'cancelling' && state.status !== 'Completed',
    ended,
    isLast: ended && !mayMove,
    ...(checkoutUrl !== undefined && { checkoutUrl }),
    history,
  };
}

/** What news tells says more than the session: it may know of the payment first, and nothing of what comes later. */
function tellMoney(money: Money | undefined): Told | undefined {
  switch (money) {
    case 'paid':
      return PAID;
    case 'arrived':
      return good('Your payment has arrived. Thank you!', 'Your order is on its way.');
    case 'cameBack':
      return bad(
        'Your payment came back',
        'Your bank has returned it, so we do not deliver. Order again if you like.',
      );
    case 'unknown':
    case undefined:
      return undefined;
  }
}

function tell(state: SessionState): Told {
  if (state.failure !== undefined)
    return bad('The payment could not be opened', `Nothing was debited (${state.failure.code}).`);
  switch (state.phase) {
    case 'creating':
      return waiting('Preparing your payment', 'This takes a moment.', 'gone');
    case 'parked':
      return waiting(
        'Checking your payment',
        'We are asking the payment service what happened to it.',
        'gone',
      );
    case 'cancelling':
      return waiting('Cancelling your order', 'We are asking the payment service.', 'kept');
    default:
      return tellStatus(state);
  }
}

/** What failed, by the session's code (specification, "States and transitions"). */
const REASONS: Readonly<Record<string, string>> = {
  EFT0401: 'The login at your bank failed.',
  EFT0402: 'No guarantee is available for this payment.',
  EFT0403: 'The account holder does not match your details.',
  EFT0404: 'The available balance is too low.',
};

function tellStatus({ status, code, paid, unsigned, unverified }: SessionState): Told {
  switch (status) {
    case undefined:
    case 'Initiated':
      return waiting(
        'Waiting for your payment',
        'Pay from your bank account, or cancel the order.',
        'usable',
      );
    case 'Completed':
      if (paid) return PAID;
      if (unsigned) return bad('The agreement was not signed in time', 'Nothing was debited.');
      if (code === 'EFT0302' && !unverified)
        return waiting(
          'One signature to go',
          'Your account is confirmed: sign the agreement to pay.',
          'usable',
        );
      return waiting('Checking your payment', 'We are making sure that it went through.', 'gone');
    case 'Failed':
      return bad(
        'The payment failed',
        `${REASONS[code ?? ''] ?? 'Your bank refused.'} Nothing was debited.`,
        'kept',
      );
    case 'Cancelled':
      return bad('Order cancelled', 'Nothing was debited.');
    case 'Expired':
      return bad('The payment has expired', 'Nothing was debited. Order again if you like.');
    default:
      // A status that this version does not know is carried as it is.
      return waiting(
        `The payment is ${status}`,
        'Pay from your bank account, or cancel the order.',
        'usable',
      );
  }
}

const waiting = (headline: string, detail: string, flow: Told['flow']): Told => ({
  headline,
  detail,
  tone: 'waiting',
  flow,
});

const good = (headline: string, detail: string): Told => ({ headline, detail, tone: 'good', flow: 'gone' });

const bad = (headline: string, detail: string, flow: Told['flow'] = 'gone'): Told => ({
  headline,
  detail,
  tone: 'bad',
  flow,
});

const PAID = good('Paid. Thank you!', 'We are packing your order.');
