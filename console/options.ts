import type { Client } from '@temporalio/client';
import type { PaymentSessions, ReadableLedger } from '../src/sessions';
import type { PaymentLedger } from '../ledger';
import type { Access } from './access/access';
import type { LedgerPayments } from '../ledger/sessions/ledger-payments';

/** Options of the console. */
export interface ConsoleOptions {
  /** Connects to the sessions' Temporal server. It decrypts payloads if it has the keys. */
  readonly client: Client;
  readonly sessions: PaymentSessions;
  /** Tells what the money of sessions did, finds payments, and knows those that the Temporal server has dropped. @default none of it */
  readonly ledger?: ConsoleLedger | undefined;
  /** The task queue whose workers answer for the sessions. */
  readonly taskQueue: string;
  /** Who may read and act. */
  readonly access: Access;
  /** Temporal's own web UI, for links to a session's history; without a `/` at the end. */
  readonly uiUrl?: string;
  /** A session's page in the payment service's portal: a URL in which `{sessionId}`, `{referenceId}`, `{key}` and `{account}` are filled in. */
  readonly portalUrl?: string;
  /** Takes a line for each look at a session and each act: who, what, which session; no personal data. */
  readonly log?: (line: string) => void;
  /** The merchant's, whose days are counted: a name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string;
}

/** The console's view of a ledger. */
export interface ConsoleLedger extends ReadableLedger, Pick<PaymentLedger, 'handleReturn'> {
  readonly payments: Payments;
}

export type Payments = Pick<LedgerPayments, 'page' | 'all' | 'totals' | 'among' | 'claimsAmong' | 'days'>;
