import { MAX_REQUEST_BYTES, TOKEN_LIFETIME_S } from '../../src/contract';
import { DEFAULT_CLIENT } from '../clients/default-client';
import { systemClock } from '../clock/clock';
import { checkFrameAncestors } from '../http/frame-ancestors';
import { checkAllowedHosts } from '../../web/known-hosts';
import type { SandboxConfig, SandboxOptions } from './options';

const MINUTE_MS = 60_000;

const DEFAULTS: SandboxConfig = {
  clients: [DEFAULT_CLIENT],
  clock: systemClock,
  paceMs: 1_000,
  allowedHosts: [],
  frameAncestors: ['*'],
  tokenLifetimeMs: TOKEN_LIFETIME_S * 1_000,
  tokenResponseFields: true,
  guaranteeOptionalForETransfer: false,
  wrongContentTypeStatus: 400,
  missingAccountStatus: 400,
  codeMember: 'statusDetails',
  cancelEndedStatus: 400,
  cancellableWhileUnsigned: false,
  idleExpiryMs: 15 * MINUTE_MS,
  absoluteExpiryMs: 24 * 60 * MINUTE_MS,
  consentByDefault: true,
  maxLoginAttempts: 3,
  failWithoutGuarantee: false,
  rateLimitRequests: 0,
  rateLimitWindowMs: MINUTE_MS,
  retryAfterForm: 'seconds',
  maxBodyBytes: MAX_REQUEST_BYTES,
  maxSessions: 10_000,
  maxTokensPerClient: 100,
  maxCalls: 1_000,
  maxMails: 1_000,
};

/** Options that are given as `undefined` keep their defaults. Throws `INVALID_SETTINGS` for a malformed one. */
export function resolveOptions(options: SandboxOptions): SandboxConfig {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const config: SandboxConfig = { ...DEFAULTS, ...Object.fromEntries(given) };
  checkFrameAncestors(config.frameAncestors);
  checkAllowedHosts(config.allowedHosts);
  return config;
}
