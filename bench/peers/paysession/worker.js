import { createRequire } from 'node:module';
import process from 'node:process';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';

/** @type {typeof import('../../../dist/worker/index.js')} */
const { createWorker } = createRequire(import.meta.url)('../../../dist/worker/index.js');

process.once('disconnect', () => process.exit());

Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('ERROR') });
const { TEMPORAL_ADDRESS, PAYMENTS_URL, PAYMENTS_CLIENT_ID, PAYMENTS_CLIENT_SECRET } = process.env;
const worker = await createWorker({
  connection: await NativeConnection.connect({ address: TEMPORAL_ADDRESS ?? '' }),
  accounts: {
    default: {
      baseUrl: PAYMENTS_URL ?? '',
      clientId: PAYMENTS_CLIENT_ID ?? '',
      clientSecret: PAYMENTS_CLIENT_SECRET ?? '',
    },
  },
});
process.send?.('ready');
await worker.run();
