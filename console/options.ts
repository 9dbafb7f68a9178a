import type { Client } from '@temporalio/client';
import type { PaymentSessions, ReadableLedger } from '../src/sessions';
import type { LedgerPayments } from '../ledger';
import type { Access } from './access/access';

/** What the console shows, and to whom. */
export interface ConsoleOptions {
  /** Where the sessions are; it reads what is encrypted where it has the keys. */
  readonly client: Client;
  readonly sessions: PaymentSessions;
  /** Tells what the money of sessions did, finds payments, and knows those that the Temporal server has dropped. @default none of it */
  readonly ledger?: ConsoleLedger | undefined;
  /** The task queue whose workers answer for the sessions. */
  readonly taskQueue: string;
  /** Who may look and act. */
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

/** What the console asks a ledger. */
export interface ConsoleLedger extends ReadableLedger {
  readonly payments: Payments;
}

export type Payments = Pick<LedgerPayments, 'page' | 'all' | 'totals' | 'among' | 'claimsAmong' | 'days'>;
