import { endServers, isWatching, type Runner } from './kept-servers';

/** Stops the test servers after a run of jest. In watch mode, does nothing: the next run uses the servers again. */
export default async function teardown(given: Runner): Promise<void> {
  if (!isWatching(given)) await endServers();
}
