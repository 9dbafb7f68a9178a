import { startCluster } from '../../chaos/cluster';
import { cpuMs, cpuMsWithChildren, memoryMib } from '../figures/process-stat';
import type { MeasuredServer } from './lab';

/** Temporal's own defaults for timers and partitions. `paysession dev` uses other values. */
const PRODUCTION: Readonly<Record<string, string>> = {
  'history.timerProcessorMaxTimeShift': '"1s"',
  'matching.numTaskqueueReadPartitions': '4',
  'matching.numTaskqueueWritePartitions': '4',
};

/**
 * Starts a Temporal cluster of seven nodes on PostgreSQL. The CPU time is the sum of all of its processes. The memory
 * is that of the nodes and of PostgreSQL's main process. PostgreSQL's child processes are not included.
 */
export async function startMeasuredCluster(): Promise<MeasuredServer & { stop(): Promise<void> }> {
  const cluster = await startCluster({ dynamicConfig: PRODUCTION });
  const sumOfNodes = (figureOf: (pid: number) => number): number =>
    cluster.nodes.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : figureOf(pid)), 0);
  return {
    address: cluster.address,
    cpuMs: () => sumOfNodes(cpuMs) + cpuMsWithChildren(cluster.databasePid),
    memoryMib: () => sumOfNodes(memoryMib) + memoryMib(cluster.databasePid),
    stop: () => cluster.stop(),
  };
}
