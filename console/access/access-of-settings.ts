import { randomBytes } from 'node:crypto';
import type { ConsoleSettings } from '../../src/settings';
import type { Access } from './access';

/** Who may use a console with these settings; without any, whoever is on this machine, by the name given. */
export function accessOfSettings(settings: ConsoleSettings, localName: string): Access {
  const { publicUrl, oidc, proxies, roleNames, userHeader, roleHeader } = settings;
  if (publicUrl === undefined || (oidc === undefined && proxies.length === 0))
    return { kind: 'local', operator: { name: localName, role: 'operator' } };
  const secret = settings.secret ?? randomBytes(32).toString('base64url');
  const guarded = { publicUrl, roleNames, proxies, secret };
  return oidc === undefined
    ? { kind: 'proxy', ...guarded, userHeader, roleHeader }
    : { kind: 'oidc', ...guarded, ...oidc };
}
