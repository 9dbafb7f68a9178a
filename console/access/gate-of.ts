import { randomBytes } from 'node:crypto';
import { needOptionalPackages } from '../../src/files/optional-packages';
import type { Access } from './access';
import type { Gate, GateEvents } from './gate';
import { localGate } from './local-gate';
import { oidcGate } from './oidc/gate';
import { proxyGate } from './proxy-gate';

/** The way in that an access stands for. Throws `MissingPackagesError`. */
export function gateOf(access: Access, events: GateEvents): Gate {
  switch (access.kind) {
    case 'local':
      return localGate(access);
    case 'proxy':
      return proxyGate(access);
    case 'oidc':
      needOptionalPackages('Login with OpenID Connect', ['jose', 'openid-client']);
      return oidcGate(access, events);
  }
}

/** What forms are signed with. On this machine alone it need not outlast the process. */
export const secretOf = (access: Access): string =>
  access.kind === 'local' ? randomBytes(32).toString('base64url') : access.secret;
