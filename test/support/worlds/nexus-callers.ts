import { createNexusServiceClient } from '@temporalio/workflow';
import {
  paymentSessionService as service,
  type CancelAnswer,
  type PaymentSessionInput,
  type PaymentSessionKey,
  type SessionResult,
  type SessionState,
} from '../../../src/nexus';

// Workflows of another namespace, such as another team’s. They call payment sessions only through a Nexus endpoint.

export async function runsSession(endpoint: string, input: PaymentSessionInput): Promise<SessionResult> {
  return createNexusServiceClient({ endpoint, service }).executeOperation('run', input);
}

export async function cancelsSession(endpoint: string, input: PaymentSessionKey): Promise<CancelAnswer> {
  return createNexusServiceClient({ endpoint, service }).executeOperation('cancel', input);
}

export async function readsSession(endpoint: string, input: PaymentSessionKey): Promise<SessionState> {
  return createNexusServiceClient({ endpoint, service }).executeOperation('state', input);
}
