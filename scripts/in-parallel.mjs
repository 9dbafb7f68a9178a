/**
 * Runs scripts of package.json in the given order, as many at the same time as there are processors. Prints the output of
 * the first script as it comes, and after its end the output of each other script once that has ended. Runs all scripts,
 * and fails if one has failed.
 *
 *   node scripts/in-parallel.mjs check:lint check:types
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [first, ...others] = process.argv.slice(2);

const waiting = [first, ...others];
/** @type {string[]} */
const failed = [];
/** @type {Promise<unknown>} */
let printed = Promise.resolve();

async function takeTurns() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const running = run(name);
    // The outputs of two scripts must not mix.
    if (name === first) printed = running;
    const output = await running;
    printed = printed.then(() => process.stdout.write(output));
  }
}

/**
 * Runs a script, and resolves with its output. The output is empty if it was printed as it came.
 *
 * @param {string} name
 * @returns {Promise<Buffer>}
 */
function run(name) {
  return new Promise((done, fail) => {
    /** @type {import('node:child_process').StdioOptions} */
    const stdio = name === first ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(`npm run ${name}`, { cwd: root, shell: true, stdio });
    /** @type {Buffer[]} */
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    child.once('error', fail);
    child.once('close', (code) => {
      if (code !== 0) failed.push(name);
      done(Buffer.concat(chunks));
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, takeTurns));
await printed;
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
