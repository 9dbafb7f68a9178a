import { startTestServer } from '../../../src/temporal-server';

/** Starts a test server in a process of its own, prints its pid, and keeps running. */
async function main(): Promise<void> {
  const [executable = ''] = process.argv.slice(2);
  console.log((await startTestServer({ executable })).pid);
}

void main();
