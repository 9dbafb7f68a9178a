import { startCluster } from '..';

/** Runs as a separate process: starts a cluster, prints the ids of the cluster's processes as JSON, and keeps running. */
async function main(): Promise<void> {
  const { nodes, databasePid } = await startCluster();
  console.log(JSON.stringify([databasePid, ...nodes.map(({ pid }) => pid)]));
}

void main();
