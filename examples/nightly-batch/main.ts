import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { isPaysessionError, PaymentSessions, type PaysessionError } from 'paysession';
import { dueInvoices } from './invoices';

const CONCURRENCY = 20;

/**
 * Opens a session for each invoice of a night. If a run crashes half-way, run the program again with the same night.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { night: { type: 'string' }, count: { type: 'string', default: '200' } },
  });
  // There is no default: after midnight, another run for the same night would request each invoice again.
  if (values.night === undefined)
    throw new Error('The option --night is missing, for example --night 2031-05-06');
  const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
  const taskQueue = process.env['PAYSESSION_TASK_QUEUE'];
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection });
    const sessions = new PaymentSessions(client, taskQueue === undefined ? {} : { taskQueue });
    const opened = { now: 0, before: 0, failed: 0 };
    const invoices = dueInvoices(values.night, Number(values.count));
    for await (const result of sessions.startMany(invoices, { concurrency: CONCURRENCY })) {
      const error = 'error' in result ? result.error : await openingError(result.session);
      if (error !== undefined) {
        opened.failed += 1;
        console.error(`${result.key}: ${error.code}`);
      } else if ('session' in result && result.attached) opened.before += 1;
      else opened.now += 1;
    }
    console.log(`opened ${opened.now}, opened before ${opened.before}, failed ${opened.failed}`);
    if (opened.failed > 0) process.exitCode = 1;
  } finally {
    await connection.close();
  }
}

/**
 * Waits until the payment service has created the session and mailed its link to the payor. Returns an error if the
 * session does not open in time.
 */
async function openingError(
  session: ReturnType<PaymentSessions['get']>,
): Promise<PaysessionError | undefined> {
  try {
    await session.opened();
    return undefined;
  } catch (error) {
    if (isPaysessionError(error)) return error;
    throw error;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
