import { connect } from '@restatedev/restate-sdk-clients';
import { Agent, fetch } from 'undici';
import { bench } from '../shared/bench.js';
import { startOwn } from '../shared/processes.js';
import { versionsOf } from '../shared/versions.js';
import { registerWorker, startRestate } from './server.js';

/** @typedef {typeof import('./workflow.js').paymentSession} PaymentSession */

/**
 * Waits for answers without a time limit. A result may take longer than the five minutes for which Node's own `fetch`
 * waits.
 */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

await bench(async (folder, environment) => {
  const server = await startRestate(folder);
  const { child, message } = await startOwn(new URL('worker.js', import.meta.url), {
    ...environment,
    RESTATE_LOGGING: 'ERROR',
  });
  await registerWorker(server.urls.admin, message.url);
  const ingress = connect({
    url: server.urls.ingress,
    fetch: /** @type {any} */ (
      (/** @type {any} */ url, /** @type {any} */ init) => fetch(url, { ...init, dispatcher: patient })
    ),
  });
  /** @param {string} key */
  const client = (key) =>
    ingress.workflowClient(/** @type {PaymentSession} */ ({ name: 'paymentSession' }), key);
  return {
    versions: versionsOf(['@restatedev/restate-sdk', '@restatedev/restate-server']),
    workerPid: child.pid ?? NaN,
    serverPid: server.pid,
    async open(key, pollEveryMs) {
      await client(key).workflowSubmit(pollEveryMs);
      return client(key).opened();
    },
    result: (key) => client(key).workflowAttach(),
    cancel: async (key) => client(key).cancel(),
  };
});
