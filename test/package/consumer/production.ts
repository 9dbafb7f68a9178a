import { PaymentSessions } from 'paysession';
import { createActivities } from 'paysession/activities';
import { validateSessionRequest } from 'paysession/contract';
import { paymentSessionService } from 'paysession/nexus';
import { createWorker } from 'paysession/worker';
import { runPaymentSession } from 'paysession/workflows';

/** A user’s production code. The package test type-checks it without the optional dependencies. */
export const values = [
  PaymentSessions,
  createActivities,
  validateSessionRequest,
  paymentSessionService,
  createWorker,
  runPaymentSession,
];
