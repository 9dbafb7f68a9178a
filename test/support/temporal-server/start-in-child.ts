import { startTemporalServer } from '../../../src/temporal-server';

/** Starts a Temporal server from this child process of a test, prints its address and pid as JSON, and keeps running. */
async function main(): Promise<void> {
  const [executable = ''] = process.argv.slice(2);
  const { address, pid } = await startTemporalServer({ executable });
  console.log(JSON.stringify({ address, pid }));
}

void main();
