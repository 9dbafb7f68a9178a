import { Client, type Connection } from '@temporalio/client';
import { isLoopbackHost } from '../../../src/contract/values/loopback';
import { encryptedDataConverter } from '../../../src/encryption';
import { isPaysessionError } from '../../../src/errors';
import { isReadableOnTheWay, PaymentService, type ServiceAccount } from '../../../src/service';
import { conditionsOf, newestOpen, PaymentSessions, type SessionSummary } from '../../../src/sessions';
import type { WorkerSettings } from '../../../src/settings';
import { miss, type Finding } from './finding';

/** The key of an open session, and its id at the payment service. */
export interface OpenSession {
  readonly key: string;
  readonly sessionId: string;
}

/** The maximum number of sessions to try for each account. Several may be needed, because Temporal's index may still list sessions that have ended. */
const MAX_TRIED = 3;
const STATE_WITHIN_MS = 5_000;

/**
 * Finds an open session for each account in the settings. Finds none if no worker answers, or if encryption keys are missing on this machine. Other
 * checks report these two problems.
 */
export async function openSessionsOf(
  connection: Connection,
  { namespace, taskQueue, encryption, encryptionRequired, accounts }: WorkerSettings,
): Promise<ReadonlyMap<string, OpenSession>> {
  const dataConverter = encryption && encryptedDataConverter(encryption, { required: encryptionRequired });
  const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
  const sessions = new PaymentSessions(client, { taskQueue });
  const found = await Promise.all(
    Object.keys(accounts).map(async (account) => {
      // Only sessions of this task queue count, because an account of another task queue may have the same name.
      const ofAccount = conditionsOf({ account, phase: 'open' });
      const newest = await newestOpen(client, taskQueue, MAX_TRIED, ...ofAccount);
      return [account, await openSessionAmong(sessions, newest)] as const;
    }),
  );
  return new Map(found.flatMap(([account, open]) => (open === undefined ? [] : [[account, open]])));
}

async function openSessionAmong(
  sessions: PaymentSessions,
  newest: readonly SessionSummary[],
): Promise<OpenSession | undefined> {
  try {
    for (const { key } of newest) {
      const { phase, sessionId } = await sessions.get(key).state({ timeoutMs: STATE_WITHIN_MS });
      if (phase === 'open' && sessionId !== undefined) return { key, sessionId };
    }
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
  }
  return undefined;
}

/** Requests a token from the payment service. If the account has an open session, also requests the session's details. */
export async function examineService(
  [name, account]: readonly [name: string, account: ServiceAccount],
  { service: limits, allowHttp }: Pick<WorkerSettings, 'service' | 'allowHttp'>,
  open: OpenSession | undefined,
): Promise<readonly Finding[]> {
  const subject = `Payment service (${name})`;
  const { baseUrl } = account;
  if (!allowHttp && isReadableOnTheWay(baseUrl)) return [overHttp(subject, account)];
  const service = new PaymentService({ ...limits, account });
  try {
    await service.authenticate();
    const accepted: Finding = { subject, ok: true, found: `${baseUrl} accepts the credentials` };
    if (open === undefined) return [accepted];
    return [accepted, await examineDetails(service, `Details (${name})`, open)];
  } catch (error) {
    const { hostname, port } = new URL(baseUrl);
    const isOfThisMachine = isLoopbackHost(hostname) && isPaysessionError(error, 'SERVICE_UNREACHABLE');
    const commands = isOfThisMachine ? { commands: [`paysession sandbox --port ${port || '80'}`] } : {};
    return [{ ...miss(subject, error, 'SERVICE_UNREACHABLE'), ...commands }];
  } finally {
    await service.close();
  }
}

/** Requests a session's details, because a service that issues tokens may still fail for all other calls. */
async function examineDetails(
  service: PaymentService,
  subject: string,
  { key, sessionId }: OpenSession,
): Promise<Finding> {
  try {
    await service.sessionDetails(sessionId);
    return { subject, ok: true, found: `the payment service knows the open session ${key}` };
  } catch (error) {
    const failed = miss(subject, error, 'SERVICE_FAILED');
    return { ...failed, found: `asked for the open session ${key}: ${failed.found}` };
  }
}

/** Returns the finding about an http URL. Sends nothing to it, because others could read the client secret on the way. */
function overHttp(subject: string, { baseUrl }: ServiceAccount): Finding {
  const fix = 'Use its https URL, or set PAYSESSION_ALLOW_HTTP=true if you control the network in between.';
  return { subject, ok: false, found: `${baseUrl} uses http: others could read the client secret`, fix };
}

/** Returns a note if no account is set on this machine. */
export function missingAccount({ accounts }: Pick<WorkerSettings, 'accounts'>): Finding[] {
  if (Object.keys(accounts).length > 0) return [];
  const fix =
    'Only a worker needs one. To run it here, set PAYSESSION_BASE_URL, PAYSESSION_CLIENT_ID and PAYSESSION_CLIENT_SECRET, or PAYSESSION_ACCOUNTS_FILE.';
  return [{ subject: 'Payment service', ok: true, found: 'no account is configured on this machine', fix }];
}
