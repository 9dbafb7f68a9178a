import { ServiceError, type ServiceFailure } from '../../../src/errors';
import { Pace, PacedService, type PacedCalls, type Pause } from '../../../src/service';
import { eft } from '../requests';
import type { Limiter } from './limiters';

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export interface LimitedService {
  readonly pace: Pace;
  readonly paced: PacedService;
  readonly pauses: (Pause | undefined)[];
  /** The times at which calls were accepted. */
  readonly taken: number[];
  /** The times at which calls were refused with 429. */
  readonly refused: number[];
}

export interface LimitedServiceOptions {
  readonly limiter: Limiter;
  readonly random: () => number;
  readonly callsPerSecond?: number;
  readonly answersInMs?: number;
}

/** Returns a service that answers 429 with `Retry-After` (in seconds) beyond its limit, and a client that adapts its pace to the limit. */
export function limitedService(options: LimitedServiceOptions): LimitedService {
  const { limiter, random, callsPerSecond, answersInMs = 20 } = options;
  const pauses: (Pause | undefined)[] = [];
  const taken: number[] = [];
  const refused: number[] = [];
  const answer = async (): Promise<ServiceFailure | undefined> => {
    await sleep(answersInMs * (0.25 + random() / 2));
    const waitMs = limiter(Date.now());
    (waitMs === 0 ? taken : refused).push(Date.now());
    await sleep(answersInMs * (0.25 + random() / 2));
    const retryAfterMs = Math.ceil(waitMs / 1_000) * 1_000;
    return waitMs === 0
      ? undefined
      : { code: 'SERVICE_RATE_LIMITED', message: '', status: 429, retryAfterMs };
  };
  let sessions = 0;
  const read = async () => {
    const failure = await answer();
    if (failure !== undefined) throw new ServiceError(failure);
    return { status: 'Initiated' };
  };
  const service: PacedCalls = {
    maxConnections: 32,
    spareConnections: 64,
    authenticate: () => Promise.resolve(),
    createSession: async () => {
      const failure = await answer();
      if (failure !== undefined) return { outcome: 'notSent', failure };
      sessions += 1;
      return { outcome: 'created', sessionId: `session-${sessions}`, referenceId: null, checkoutUrl: '' };
    },
    sessionDetails: read,
    cancelSession: read,
    identifySession: async () => ({ snapshot: await read(), identity: {} }),
    checkoutUrl: () => '',
  };
  const pace = new Pace({ random, callsPerSecond, onChange: (pause) => pauses.push(pause) });
  return { pace, paced: new PacedService(service, { pace }), pauses, taken, refused };
}

/** Calls the service as a session’s workflow does: creates the session, and polls it until `polls` polls have succeeded. */
export async function runSession({ paced }: LimitedService, polls: number): Promise<void> {
  let sessionId: string | undefined;
  let firstOffMs: number | undefined;
  while (sessionId === undefined) {
    const waitedMs = firstOffMs === undefined ? 0 : Date.now() - firstOffMs;
    const outcome = await paced.createSession(eft(), { waitedMs });
    firstOffMs ??= Date.now();
    if (outcome.outcome === 'created') sessionId = outcome.sessionId;
    else await sleep(Math.max(1_000, outcome.failure.retryAfterMs ?? 0));
  }
  for (let seen = 0; seen < polls;) {
    await sleep(2_000);
    try {
      await paced.sessionDetails(sessionId);
      seen += 1;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await sleep(error.failure.retryAfterMs ?? 0);
    }
  }
}

/** Advances the faked time until the work is done. */
export async function elapsing<T>(work: Promise<T>, advance: (ms: number) => Promise<void>): Promise<T> {
  const progress = { done: false };
  void work.finally(() => (progress.done = true)).catch(() => undefined);
  while (!progress.done) await advance(50);
  return work;
}
