import process from 'node:process';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { answerCalls } from '../shared/calls.js';
import { cancelPaymentSession, OPENED, paymentSession } from './workflow.js';

// As in an application with DBOS: the process that starts workflows also runs them.

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
