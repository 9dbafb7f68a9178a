import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from './ending.js';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const MS_TO_GET_READY = 60_000;
const MS_TO_STOP = 20_000;
const CHARACTERS_OF_OUTPUT = 4_000;

/**
 * Starts a program. When this process ends, even if it is killed, the program ends, too.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {{ readonly child: ChildProcess, readonly output: () => string }} `output` returns the last part of the
 * program's output
 */
export function startProgram(command, args, options = {}) {
  const child = spawn('setpriv', ['--pdeathsig', 'INT', '--', command, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => stop(child));
  let output = '';
  child.on('error', (error) => (output += error.message));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-CHARACTERS_OF_OUTPUT)));
  }
  return { child, output: () => output };
}

/**
 * @param {ReturnType<typeof startProgram>} program
 * @param {() => boolean | Promise<boolean>} isReady
 */
export async function untilReady({ child, output }, isReady) {
  const deadline = Date.now() + MS_TO_GET_READY;
  while (!(await isReady())) {
    if (hasEnded(child) || Date.now() > deadline) {
      throw new Error(`${child.spawnargs.join(' ')} did not get ready:\n${output()}`);
    }
    await sleep(50);
  }
}

/**
 * Starts a program of this folder and waits for its first message. The program must end when it is disconnected.
 *
 * @param {URL} file
 * @param {Readonly<Record<string, string>>} environment
 * @returns {Promise<{ readonly child: ChildProcess, readonly message: any }>}
 */
export async function startOwn(file, environment) {
  const child = fork(file, { env: { ...process.env, ...environment } });
  atEnd(() => stop(child));
  const message = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) =>
      reject(new Error(`${file.pathname} ended with ${code} before it was ready`)),
    );
  });
  return { child, message };
}

/** @param {ChildProcess} child */
const hasEnded = (child) => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** @param {ChildProcess} child */
async function stop(child) {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), MS_TO_STOP);
  child.kill('SIGINT');
  await exited;
  clearTimeout(timer);
}

/** @returns {Promise<number>} a free port of 127.0.0.1 */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
