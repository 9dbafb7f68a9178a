import type { Client } from '@temporalio/client';
import type { PaymentSessions, ReadableLedger } from '../src/sessions';
import type { PaymentLedger } from '../ledger';
import type { Access } from './access/access';
import type { LedgerNamespaces } from '../ledger/namespaces';
import type { UnmatchedLines } from '../ledger/reconciliation/unmatched-lines';
import type { LedgerPayments } from '../ledger/sessions/ledger-payments';
import type { WebhookDeliveries } from '../ledger/webhooks/deliveries';

/** Options of the console. */
export interface ConsoleOptions {
  /** The connection to the sessions' Temporal server. It decrypts payloads if it has the keys. */
  readonly client: Client;
  /** The client of the sessions. Must have no ledger, because the pages read the ledger themselves and show which data comes from it. */
  readonly sessions: PaymentSessions;
  /** The record of payments, of their money, and of sessions that the Temporal server has dropped. @default no ledger */
  readonly ledger?: ConsoleLedger | undefined;
  /** The task queue of the sessions' workers. */
  readonly taskQueue: string;
  /** The people who have access, and how they are identified. */
  readonly access: Access;
  /** Temporal's own web UI, for links to a session's history. Without a `/` at the end. */
  readonly uiUrl?: string;
  /** The URL of a session's page in the payment service's portal. `{sessionId}`, `{referenceId}`, `{key}` and `{account}` are filled in. */
  readonly portalUrl?: string;
  /** Receives the lines of the log: logins, views, payor searches, downloads, actions and failures. The lines contain no data of payors. */
  readonly log?: (line: string) => void;
  /** The merchant's time zone, which defines days: a name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string;
}

/** The console's view of a ledger. */
export interface ConsoleLedger
  extends ReadableLedger, Pick<PaymentLedger, 'handleReturn' | 'reconcile' | 'explainLine' | 'explainRun'> {
  readonly payments: Payments;
  readonly webhookDeliveries: Pick<WebhookDeliveries, 'of'>;
  readonly unmatched: Unmatched;
  readonly namespaces: Pick<LedgerNamespaces, 'otherEnvironments'>;
}

export type Payments = Pick<
  LedgerPayments,
  'page' | 'all' | 'totals' | 'among' | 'claimsAmong' | 'days' | 'arrivals' | 'lateAfterDays' | 'timeZone'
>;

export type Unmatched = Pick<UnmatchedLines, 'page' | 'get' | 'totals' | 'runs'>;
