import { resolveTemporalServer } from '../../../src/temporal-server';

/** Runs `resolveTemporalServer` in a child process of a test. Prints each line of progress, and then the result as JSON. */
async function main(): Promise<void> {
  const [downloadBaseUrl = ''] = process.argv.slice(2);
  const temporal = await resolveTemporalServer({
    downloadBaseUrl,
    onProgress: (line) => {
      console.log(line);
    },
  });
  console.log(JSON.stringify(temporal));
}

void main();
