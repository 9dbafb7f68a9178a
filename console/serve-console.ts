import { SettingsError, toPortError } from '../src/errors';
import { isLoopbackHost } from '../src/contract/values/loopback';
import type { Access } from './access/access';
import { buildConsole } from './app';
import type { ConsoleOptions } from './options';

export interface ServeConsoleOptions extends ConsoleOptions {
  /** The address to listen on; any other than this machine's own needs a login. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The flag that chooses another port, for the message that one is in use. @default '--port' */
  readonly portFlag?: string;
}

/** A console that listens. */
export interface ServedConsole {
  readonly url: string;
  /** Stops answering, and ends the live streams. */
  close(): Promise<void>;
}

/**
 * Serves the operator's console. Throws `PaysessionError` `INVALID_SETTINGS` where anybody could use it, and `PORT_IN_USE`.
 */
export async function serveConsole({
  host,
  port,
  portFlag = '--port',
  ...options
}: ServeConsoleOptions): Promise<ServedConsole> {
  checkReach(options.access, host);
  const app = buildConsole(options, host);
  try {
    const url = await app.listen({ host, port });
    return { url, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw toPortError(error, port, `Choose another one with ${portFlag},`);
  }
}

/** Throws `INVALID_SETTINGS` for an address that lets in everybody. */
export function checkReach(access: Access, host: string): void {
  if (access.kind === 'local' && !isLoopbackHost(host)) throw new SettingsError([OPEN_TO_ALL]);
}

const OPEN_TO_ALL = {
  path: 'PAYSESSION_CONSOLE_OIDC_ISSUER',
  message:
    'is missing: on any address other than 127.0.0.1, the console needs a login (PAYSESSION_CONSOLE_OIDC_*) or a trusted proxy (PAYSESSION_CONSOLE_PROXY_*); see docs/guides/console.md',
};
