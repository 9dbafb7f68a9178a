import process from 'node:process';

/** @type {(() => Promise<unknown>)[]} */
const steps = [];

/**
 * Registers a step that runs when the program ends. The step that was registered last runs first.
 *
 * @param {() => Promise<unknown>} step
 */
export function atEnd(step) {
  steps.push(step);
}

/**
 * Runs a program, and then the steps of `atEnd`. Also runs the steps after a failure and after Ctrl-C.
 *
 * @param {() => Promise<void>} program
 */
export async function runToItsEnd(program) {
  for (const [signal, exitCode] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])) {
    process.once(signal, () => void end().then(() => process.exit(exitCode)));
  }
  process.once('uncaughtException', (error) => void fail(error));
  await program().catch(fail);
  await end();
}

/** @param {unknown} error */
async function fail(error) {
  // Errors while everything is being stopped are expected.
  if (ending === undefined) console.error(error);
  await end();
  // Sessions may still be waiting, and must not keep the process running.
  process.exit(1);
}

/** @type {Promise<void> | undefined} */
let ending;

const end = () => (ending ??= undoAll());

async function undoAll() {
  for (const step of steps.reverse()) await step().catch((error) => console.error(error));
}
