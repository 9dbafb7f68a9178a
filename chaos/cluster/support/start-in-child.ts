import { startCluster } from '..';

/** Starts a cluster in a process of its own, prints the ids of its processes as JSON, and keeps running. */
async function main(): Promise<void> {
  const { nodes, databasePid } = await startCluster();
  console.log(JSON.stringify([databasePid, ...nodes.map(({ pid }) => pid)]));
}

void main();
