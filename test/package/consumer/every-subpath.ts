import { PaymentSessions, isPaysessionError, type SessionPolicy, type SessionState } from 'paysession';
import { isPaid, validateSessionRequest, type SessionRequest } from 'paysession/contract';
import { createActivities } from 'paysession/activities';
import { migrate, PaymentLedger, type LedgerFact } from 'paysession/ledger';
import { paymentSessionService } from 'paysession/nexus';
import { clientTracing, workerTracing } from 'paysession/opentelemetry';
import { createSandbox, type Sandbox } from 'paysession/sandbox';
import { createPaymentWorld, replayHistories, type ReplayReport } from 'paysession/testing';
import { createWorker, type PaymentWorker } from 'paysession/worker';
import { paymentSession, runPaymentSession, type PaymentSessionInput } from 'paysession/workflows';

/** The package test type-checks this file under each module resolution. The file never runs. */
export const values = [
  PaymentSessions,
  createActivities,
  paymentSessionService,
  createWorker,
  PaymentLedger,
  migrate,
  clientTracing,
  workerTracing,
  paymentSession,
  runPaymentSession,
  replayHistories,
];

export type Shapes = readonly [PaymentWorker, ReplayReport, LedgerFact];

const policy: SessionPolicy = { onUnknownCreate: 'park', fastestPoll: '2s' };
// @ts-expect-error: there is no such policy
export const wrong: SessionPolicy = { onUnknownCreate: 'guess' };
// @ts-expect-error: an EFT request needs a payor
export const missing: PaymentSessionInput['request'] = { type: 'EFT', direction: 'DEBIT', options: {} };
const unguaranteed = { guarantee: { enable: false } } as const;
const anyPayor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
// @ts-expect-error: an EFT is a debit
export const credit: SessionRequest = {
  type: 'EFT',
  direction: 'CREDIT',
  options: unguaranteed,
  payor: anyPayor,
};

/** Compiles only if a request has the same type in every subpath. */
export function requestOf(form: unknown): PaymentSessionInput['request'] | undefined {
  const checked = validateSessionRequest(form);
  const request: SessionRequest | undefined = checked.valid ? checked.request : undefined;
  return isPaid('EFT', { status: 'Completed', code: 'EFT0301' }) ? request : undefined;
}

export async function check(error: unknown): Promise<SessionState['phase'] | undefined> {
  const sandbox: Sandbox = createSandbox({ paceMs: 10 });
  if (isPaysessionError(error, 'SESSION_NOT_FOUND')) await sandbox.close();
  const world = await createPaymentWorld();
  const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
  const options = { guarantee: { enable: false } } as const;
  const request = { type: 'EFT', direction: 'DEBIT', options, payor } as const;
  const { session } = await world.sessions.open({ key: 'order-1', request, policy });
  return (await session.state()).phase;
}
