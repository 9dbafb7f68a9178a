import { use } from '../../../test/support/worlds/use';
import { useWorld } from '../../../test/support/worlds/use-world';
import type { World } from '../../../test/support/worlds/world';
import { startCluster, type Cluster, type StartClusterOptions } from '..';

/** Starts a cluster for all tests of a file. */
export function useCluster(options: StartClusterOptions = {}): Cluster {
  return use(
    () => startCluster(options),
    (cluster) => cluster.stop(),
  );
}

/** Enough that the sandbox's log keeps every call of all tests of a file. */
const MAX_CALLS = 500_000;

/** Starts a world on the cluster. */
export function useWorldOn(cluster: Cluster): World {
  return useWorld(() => ({ temporalAddress: cluster.address, sandbox: { maxCalls: MAX_CALLS } }));
}
