import { randomBytes } from 'node:crypto';
import { needOptionalPackages } from '../../src/files/optional-packages';
import type { LogEntry } from '../server/log';
import type { Access } from './access';
import type { Gate } from './gate';
import { oidcGate } from './oidc/gate';
import { proxyGate } from './proxy-gate';

/** The way in that an access stands for. Throws `MissingPackagesError`. */
export function gateOf(access: Access, log: (entry: LogEntry) => void): Gate {
  switch (access.kind) {
    case 'local': {
      const visitor = { operator: access.operator, loginId: 'local' };
      return { visitorOf: () => Promise.resolve(visitor) };
    }
    case 'proxy':
      return proxyGate(access);
    case 'oidc':
      needOptionalPackages('Login with OpenID Connect', ['jose', 'openid-client']);
      return oidcGate(access, log);
  }
}

/** What forms are signed with. On this machine alone it need not outlast the process. */
export const secretOf = (access: Access): string =>
  access.kind === 'local' ? randomBytes(32).toString('base64url') : access.secret;
