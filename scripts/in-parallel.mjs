/**
 * Runs scripts of package.json at the same time, at most one for each processor. Starts them in the given order. Prints the output of the
 * first script while it runs. Then prints the outputs of the other scripts, in the order in which they end. Runs all scripts even if one
 * fails, and then fails itself.
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
    // The outputs are printed one after the other, so that they do not mix.
    if (name === first) printed = running;
    const output = await running;
    printed = printed.then(() => process.stdout.write(output));
  }
}

/**
 * Runs a script. Resolves with the script's output. The first script prints its own output, so its result is empty.
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
