import { endServers, isWatching, type Runner } from './kept-servers';

/** Ends the test servers of a run of jest, unless it watches: then they wait for the next run. */
export default async function teardown(told: Runner): Promise<void> {
  if (!isWatching(told)) await endServers();
}
