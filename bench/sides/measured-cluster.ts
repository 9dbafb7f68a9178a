import { startCluster } from '../../chaos/cluster';
import { cpuMs, cpuMsWithChildren, memoryMib } from '../figures/process-stat';
import type { MeasuredServer } from './lab';

/** Temporal's own defaults for timers and partitions, which `paysession dev` changes. */
const PRODUCTION: Readonly<Record<string, string>> = {
  'history.timerProcessorMaxTimeShift': '"1s"',
  'matching.numTaskqueueReadPartitions': '4',
  'matching.numTaskqueueWritePartitions': '4',
};

/**
 * Starts a Temporal cluster of seven nodes on PostgreSQL. Its CPU time is the sum over all of its processes. Its memory
 * leaves out the child processes of PostgreSQL.
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
