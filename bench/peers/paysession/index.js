import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { bench } from '../shared/bench.js';
import { atEnd } from '../shared/ending.js';
import { startOwn } from '../shared/processes.js';
import { requestOf } from '../shared/request.js';
import { detailsCallsOf } from '../shared/sandbox.js';

const require = createRequire(import.meta.url);
/** @type {typeof import('../../../dist/src/temporal-server/index.js')} */
const { resolveTemporalServer, startTemporalServer } = require('../../../dist/src/temporal-server/index.js');
/** @type {typeof import('../../../dist/src/index.js')} */
const { PaymentSessions, SEARCH_ATTRIBUTES } = require('../../../dist/src/index.js');

await bench(async (folder, environment, sandbox) => {
  const { executable } = await resolveTemporalServer();
  const temporal = await startTemporalServer({
    executable,
    databaseFile: join(folder, 'temporal.db'),
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  atEnd(() => temporal.stop());
  const { child } = await startOwn(new URL('worker.js', import.meta.url), {
    ...environment,
    TEMPORAL_ADDRESS: temporal.address,
  });
  const connection = await NativeConnection.connect({ address: temporal.address });
  atEnd(() => connection.close());
  const sessions = new PaymentSessions(new Client({ connection }));
  return {
    versions: { paysession: require('../../../package.json').version },
    workerPid: child.pid ?? NaN,
    serverPid: temporal.pid,
    async open(key, pollEveryMs) {
      const policy = { fastestPoll: pollEveryMs, slowestPoll: pollEveryMs };
      const { sessionId, checkoutUrl } = await sessions.open({ key, request: requestOf(key), policy });
      return { sessionId, checkoutUrl };
    },
    async result(key) {
      const { status, sessionId = '' } = await sessions.get(key).result();
      // Read before the next call, because the other programs do not make such a call.
      const seenAt = performance.now();
      return { status, seenAt, polls: await detailsCallsOf(sandbox, sessionId) };
    },
    cancel: (key) => sessions.get(key).cancelAndWait(),
  };
});
