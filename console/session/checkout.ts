// The checkout URL contains the session id. A reader who has the URL or the id can act as the payor. So only operators see them.
import type { LedgerSession } from '../../ledger';
import { isSessionId, shortSessionId } from '../../src/contract/identity';
import type { SessionState } from '../../src/protocol/state/session';
import type { Reader } from '../access/reader';
import type { SessionView } from './view';

type Operator = Reader['operator'];

/** Returns the view for the reader's role. A viewer sees the start of session ids, and no checkout URL. */
export function viewFor({ role }: Operator, view: SessionView): SessionView {
  const { known } = view;
  if (role === 'operator' || known === undefined) return view;
  return { ...view, known: { ...known, state: withoutCheckout(known.state) } };
}

/** Returns the payment for an export. A viewer's export has no session id. */
export function paymentFor({ role }: Operator, payment: LedgerSession): LedgerSession {
  if (role === 'operator') return payment;
  const { sessionId: _sessionId, ...exported } = payment;
  return exported;
}

function withoutCheckout({ checkoutUrl: _checkoutUrl, parks, ...state }: SessionState): SessionState {
  return {
    ...shortened(state),
    ...(parks && { parks: parks.map(shortened) }),
    decisions: state.decisions.map(shortened),
    anomalies: state.anomalies.map((anomaly) => ({ ...anomaly, detail: shortenedIn(anomaly.detail) })),
  };
}

function shortened<T extends { readonly sessionId?: string }>(of: T): T {
  const { sessionId } = of;
  return sessionId === undefined ? of : { ...of, sessionId: `${shortSessionId(sessionId) ?? ''}…` };
}

/** Shortens each session id in the detail of an anomaly. */
const shortenedIn = (text: string): string =>
  text.replaceAll(/[\da-f-]{36}/gi, (word) => (isSessionId(word) ? `${shortSessionId(word) ?? ''}…` : word));
