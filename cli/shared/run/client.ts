import type { SessionsCommand } from './connected';

export type { CommandContext } from './connected';

/**
 * Runs a command against the engine that the settings name, and closes the connection afterwards. Temporal's client is
 * loaded here, so that a command that does not connect starts without it; by one import, since Node reads what is
 * imported so once more for the names that it exports.
 */
export async function withSessions<T>(command: SessionsCommand<T>): Promise<T> {
  const { runConnected } = await import('./connected.js');
  return runConnected(command);
}
