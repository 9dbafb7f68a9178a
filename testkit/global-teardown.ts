import { endServers, isWatching, type Runner } from './kept-servers';

/** Ends the test servers of a run of jest, unless jest watches: the servers then wait for the next run. */
export default async function teardown(given: Runner): Promise<void> {
  if (!isWatching(given)) await endServers();
}
