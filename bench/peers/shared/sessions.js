import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { complete } from './sandbox.js';

/**
 * A server with a worker that runs the workflow.
 *
 * @typedef {object} Peer
 * @property {Readonly<Record<string, string>>} versions
 * @property {number} workerPid
 * @property {number} serverPid
 * @property {(key: string, pollEveryMs: number) => Promise<{ readonly sessionId: string, readonly checkoutUrl: string }>} open
 * @property {(key: string) => Promise<{ readonly status: string, readonly polls: number, readonly seenAt?: number }>} result
 * @property {(key: string) => Promise<unknown>} cancel
 *
 * @typedef {import('./options.js').Options} Options
 * @typedef {import('./sandbox.js').SandboxAddress} SandboxAddress
 */

/**
 * Opens sessions, ends each of them, and waits until the client knows of each end.
 *
 * @param {Peer} peer
 * @param {SandboxAddress} sandbox
 * @param {Options} options
 */
export async function runSessions(peer, sandbox, options) {
  const startedAt = performance.now();
  const sessions = await Promise.all(
    Array.from({ length: options.sessions }, (_, index) => runSession(peer, sandbox, options, index)),
  );
  return sessions.map((session) => ({ ...session, openedAfterMs: session.openedAt - startedAt }));
}

/**
 * @param {Peer} peer
 * @param {SandboxAddress} sandbox
 * @param {Options} options
 * @param {number} index
 */
async function runSession(peer, sandbox, options, index) {
  const { sessions, completesAfterMs, pollEveryMs, cancels } = options;
  const key = randomUUID();
  await sleep(options.startEveryMs * index);
  const startedAt = performance.now();
  const { sessionId } = await inTime(peer.open(key, pollEveryMs), 'opened');
  const openedAt = performance.now();
  // Sessions that start together also poll together. Their ends are spread over one poll interval, so that they do not
  // all have one delay.
  const endsAfterMs = completesAfterMs + (pollEveryMs * index) / sessions;
  const end = async () => {
    await sleep(endsAfterMs);
    const endedAt = performance.now();
    await (cancels ? peer.cancel(key) : complete(sandbox, sessionId));
    return endedAt;
  };
  const seen = peer.result(key).then((result) => ({ seenAt: performance.now(), ...result }));
  const both = Promise.all([end(), seen]);
  const [endedAt, { status, polls, seenAt }] = await inTime(both, 'seen to end', endsAfterMs + pollEveryMs);
  const expected = cancels ? 'Cancelled' : 'Completed';
  if (status !== expected) throw new Error(`A session ended as ${status} instead of ${expected}`);
  return { polls, startToUrlMs: openedAt - startedAt, openedAt, delayMs: seenAt - endedAt };
}

const MS_TO_WAIT = 60_000;

/**
 * @template Value
 * @param {Promise<Value>} value
 * @param {string} what
 * @param {number} [moreMs]
 * @returns {Promise<Value>}
 */
function inTime(value, what, moreMs = 0) {
  return new Promise((resolve, reject) => {
    const failure = new Error(`A session was not ${what} in time`);
    const timer = setTimeout(() => reject(failure), MS_TO_WAIT + moreMs);
    value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
