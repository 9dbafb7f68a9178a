/**
 * Runs scripts of package.json at the same time, as many as there are processors, in the order given. Prints the
 * first one's output as it comes, and then that of each of the others. Runs all of them, and fails if one has failed.
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
let told = Promise.resolve();

async function takeTurns() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const running = run(name);
    // The outputs of two scripts must not mix.
    if (name === first) told = running;
    const output = await running;
    told = told.then(() => process.stdout.write(output));
  }
}

/**
 * Resolves with a script's output; empty if it was printed as it came.
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
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
    child.once('error', fail);
    child.once('close', (code) => {
      if (code !== 0) failed.push(name);
      done(Buffer.concat(said));
    });
  });
}

await Promise.all(Array.from({ length: availableParallelism() }, takeTurns));
await told;
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
