import { startTestServer } from '../../../src/temporal-server';

/** Starts a test server from this child process of a test, prints the server's pid, and keeps running. */
async function main(): Promise<void> {
  const [executable = ''] = process.argv.slice(2);
  console.log((await startTestServer({ executable })).pid);
}

void main();
