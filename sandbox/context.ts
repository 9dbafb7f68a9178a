import { PATHS } from '../src/contract';
import { CallLog } from './calls';
import { Faults } from './faults';
import { FormTokens } from './flow/form-tokens';
import type { SandboxConfig } from './options';
import { Outbox } from './outbox';
import { RateLimiter } from './rate-limiter';
import { SessionStore } from './session-store';
import { TokenStore } from './tokens';

/** All that a sandbox remembers. It outlives the HTTP server, which comes and goes with `listen` and `close`. */
export interface SandboxContext {
  readonly config: SandboxConfig;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly rateLimiter: RateLimiter;
  readonly outbox: Outbox;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly formTokens: FormTokens;
}

/** @param ownUrl the address on which the sandbox listens, or listened last */
export function createContext(config: SandboxConfig, ownUrl: () => string): SandboxContext {
  const { clock, maxSessions, idleExpiryMs, absoluteExpiryMs } = config;
  const outbox = new Outbox({
    maxMails: config.maxMails,
    linkTo: (sessionId) => `${config.publicUrl ?? ownUrl()}${PATHS.hostedFlow(sessionId)}`,
  });
  return {
    config,
    outbox,
    tokens: new TokenStore({
      clock,
      lifetimeMs: config.tokenLifetimeMs,
      maxPerClient: config.maxTokensPerClient,
    }),
    sessions: new SessionStore({
      clock,
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
    formTokens: new FormTokens(),
  };
}
