import process from 'node:process';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { answerCalls } from '../shared/calls.js';
import { cancelPaymentSession, OPENED, paymentSession } from './workflow.js';

// The process that runs the workflows also starts them, as in an application with DBOS.

process.once('disconnect', () => process.exit());

DBOS.setConfig({
  name: 'payments',
  systemDatabaseUrl: process.env.DBOS_SYSTEM_DATABASE_URL ?? '',
  logLevel: 'error',
});
await DBOS.launch();

/** @type {Map<string, Promise<unknown>>} */
const results = new Map();

answerCalls({
  async open(key, pollEveryMs) {
    const handle = await DBOS.startWorkflow(paymentSession, { workflowID: key })(key, pollEveryMs);
    results.set(key, handle.getResult());
    return DBOS.getEvent(key, OPENED);
  },
  async result(key) {
    const result = await results.get(key);
    results.delete(key);
    return result;
  },
  async cancel(key) {
    const handle = await DBOS.startWorkflow(cancelPaymentSession, { workflowID: `cancel/${key}` })(key);
    await handle.getResult();
  },
});
process.send?.('ready');
