import type { Access } from '../../../../console/access/access';
import { serveConsole, type ServeConsoleOptions } from '../../../../console/serve-console';
import { TestProvider } from '../../../support/console/access/provider';
import { OIDC } from '../../../support/console/guarded-console';
import { ownPort } from '../../../support/own-port';
import { use } from '../../../support/worlds/use';
import type { World } from '../../../support/worlds/world';

/** A listening console, with the lines of its log. */
export interface ConsoleSite {
  readonly url: string;
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** The parts of a world that a console needs. */
export type Shown = Pick<World, 'client' | 'sessions' | 'taskQueue'> &
  Pick<ServeConsoleOptions, 'ledger' | 'timeZone' | 'portalUrl'>;

const LOCAL: Access = { kind: 'local', operator: { name: 'Robin', role: 'operator' } };

/** Serves a console on this machine. Without `access`, each visitor is the operator Robin, without a login. */
export async function serveSite(
  { client, sessions, taskQueue, ledger, timeZone = 'UTC', portalUrl }: Shown,
  { access = LOCAL, port = 0 }: { readonly access?: Access; readonly port?: number } = {},
): Promise<ConsoleSite> {
  const lines: string[] = [];
  const served = await serveConsole({
    client,
    sessions,
    taskQueue,
    ledger,
    timeZone,
    access,
    ...(portalUrl !== undefined && { portalUrl }),
    uiUrl: 'http://127.0.0.1:8233',
    log: (line) => lines.push(line),
    host: '127.0.0.1',
    port,
  });
  return { ...served, lines };
}

/** Serves a console of a world for all tests of a file or a `describe`. */
export const useSite = (world: Shown): ConsoleSite =>
  use(
    () => serveSite(world),
    (site) => site.close(),
  );

/** A console with a login, in which each person has a role. */
export interface GuardedSite extends ConsoleSite {
  /** Logs everyone in as this person from now on. */
  become(name: string, role: 'viewer' | 'operator'): void;
}

/** Serves a console with a login for all tests of a file or a `describe`. */
export const useGuardedSite = (world: Shown, loginLastsMs?: number): GuardedSite =>
  use(
    () => serveGuardedSite(world, loginLastsMs),
    (site) => site.close(),
  );

async function serveGuardedSite(world: Shown, loginLastsMs = OIDC.loginLastsMs): Promise<GuardedSite> {
  const provider = new TestProvider();
  await provider.start();
  const { issuer, clientId, clientSecret } = provider;
  // The console must know its public URL, with the port, before it listens.
  const port = await ownPort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const access: Access = { ...OIDC, issuer, clientId, clientSecret, publicUrl, loginLastsMs };
  const site = await serveSite(world, { access, port });
  const { roleNames } = OIDC;
  return {
    ...site,
    become: (name, role) => {
      provider.person = { preferred_username: name, roles: [roleNames[role]] };
    },
    close: async () => {
      await site.close();
      await provider.stop();
    },
  };
}

/** Returns the path of a session’s page, or of a page below that page. */
export const pathOf = (key: string, below = ''): string => `/sessions/${encodeURIComponent(key)}${below}`;
