import { createRequire } from 'node:module';
import { request } from 'undici';
import { startOwn } from './processes.js';

/** @typedef {{ readonly url: string, readonly controlUrl: string }} SandboxAddress */

/** @returns {typeof import('../../../dist/sandbox/index.js')} the project's sandbox, as it was built */
export const loadSandbox = () => createRequire(import.meta.url)('../../../dist/sandbox/index.js');

/** @returns {Promise<SandboxAddress>} */
export async function startSandbox() {
  const { message } = await startOwn(new URL('sandbox-process.js', import.meta.url), {});
  return message;
}

/**
 * @param {SandboxAddress} sandbox
 * @returns {Record<string, string>} the environment variables with which a worker uses the sandbox
 */
export function sandboxEnvironment({ url }) {
  const { clientId, clientSecret } = loadSandbox().DEFAULT_CLIENT;
  return { PAYMENTS_URL: url, PAYMENTS_CLIENT_ID: clientId, PAYMENTS_CLIENT_SECRET: clientSecret };
}

/**
 * Completes a session in place of its payor.
 *
 * @param {SandboxAddress} sandbox
 * @param {string} sessionId
 */
export async function complete({ controlUrl }, sessionId) {
  const { statusCode, body } = await request(`${controlUrl}/sessions/${sessionId}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'completed' }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`The sandbox could not complete a session: ${statusCode} ${text}`);
}

/**
 * @param {SandboxAddress} sandbox
 * @param {string} sessionId
 * @returns {Promise<number>} the number of calls of the session's details
 */
export async function detailsCallsOf({ controlUrl }, sessionId) {
  const { body } = await request(`${controlUrl}/calls?sessionId=${sessionId}`);
  const { calls } = /** @type {{ calls: { route: string }[] }} */ (await body.json());
  return calls.filter(({ route }) => route === 'details').length;
}
