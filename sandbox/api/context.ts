import type { RateLimiter } from '../clients/rate-limiter';
import type { TokenStore } from '../clients/tokens';
import type { Outbox } from '../mail/outbox';
import type { SandboxConfig } from '../options/options';
import type { SessionStore } from '../sessions/session-store';

/** What the service's endpoints work with. */
export interface ApiContext {
  readonly config: SandboxConfig;
  readonly tokens: TokenStore;
  readonly rateLimiter: RateLimiter;
  readonly sessions: SessionStore;
  readonly outbox: Outbox;
}
