import { PaymentSessions } from 'paysession';
import { createActivities } from 'paysession/activities';
import { validateSessionRequest } from 'paysession/contract';
import { paymentSessionService } from 'paysession/nexus';
import { createWorker } from 'paysession/worker';
import { runPaymentSession } from 'paysession/workflows';

/** What runs in production, type-checked where the optional dependencies are not installed. */
export const values = [
  PaymentSessions,
  createActivities,
  validateSessionRequest,
  paymentSessionService,
  createWorker,
  runPaymentSession,
];
