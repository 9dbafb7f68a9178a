import { PATHS } from '../../src/contract';
import { CallLog } from '../observing/calls';
import { MovableClock } from '../clock/movable-clock';
import { Journal } from '../data/journal';
import { Faults } from '../observing/faults';
import { StepTokens } from '../flow/steps/posted-form';
import type { SandboxConfig } from '../options/options';
import { Outbox } from '../mail/outbox';
import { RateLimiter } from '../clients/rate-limiter';
import { SessionStore } from '../sessions/session-store';
import { TokenStore } from '../clients/tokens';

/** All that a sandbox remembers. It outlives the HTTP server, which comes and goes with `listen` and `close`. */
export interface SandboxContext {
  /** The options, with the clock that can be moved. */
  readonly config: SandboxConfig;
  readonly clock: MovableClock;
  readonly journal: Journal;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly rateLimiter: RateLimiter;
  readonly outbox: Outbox;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly formTokens: StepTokens;
  /** The address of the control port, while it is open. */
  readonly controlUrl: () => string | undefined;
}

interface OwnAddresses {
  /** The address on which the sandbox listens, or listened last. */
  readonly ownUrl: () => string;
  readonly controlUrl: () => string | undefined;
}

export function createContext(options: SandboxConfig, { ownUrl, controlUrl }: OwnAddresses): SandboxContext {
  const journal = new Journal(options.dataDir);
  // Stores are restored in the order in which they are made: the clock first, since by the time all else is dropped or kept,
  // and the sessions after the mails, since what comes due for them is written to payors.
  const clock = new MovableClock(options.clock, journal);
  const config = { ...options, clock };
  const { maxSessions, idleExpiryMs, absoluteExpiryMs } = config;
  const outbox = new Outbox({
    journal,
    maxMails: config.maxMails,
    linkTo: (sessionId) => `${config.publicUrl ?? ownUrl()}${PATHS.hostedFlow(sessionId)}`,
  });
  return {
    config,
    clock,
    journal,
    outbox,
    tokens: new TokenStore({
      clock,
      journal,
      lifetimeMs: config.tokenLifetimeMs,
      maxPerClient: config.maxTokensPerClient,
    }),
    sessions: new SessionStore({
      clock,
      journal,
      maxSessions,
      idleExpiryMs,
      absoluteExpiryMs,
      onMoved: (before, after, atMs) => {
        outbox.moved(before, after, atMs);
      },
    }),
    rateLimiter: new RateLimiter({
      clock,
      requests: config.rateLimitRequests,
      windowMs: config.rateLimitWindowMs,
    }),
    calls: new CallLog({ clock, maxCalls: config.maxCalls }),
    faults: new Faults(),
    formTokens: new StepTokens(journal),
    controlUrl,
  };
}
