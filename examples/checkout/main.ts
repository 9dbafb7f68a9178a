import { Client, Connection } from '@temporalio/client';
import { PaymentSessions } from 'paysession';
import { createShop } from './shop';

/** Serves only the shop, until the process is stopped. (`paysession dev` also serves it, with everything else.) */
async function main(): Promise<void> {
  const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
  const taskQueue = process.env['PAYSESSION_TASK_QUEUE'];
  const client = new Client({ connection: await Connection.connect({ address }) });
  const sessions = new PaymentSessions(client, {
    // The buyer's page waits for the answer, so give up after ten seconds.
    openTimeoutMs: 10_000,
    ...(taskQueue !== undefined && { taskQueue }),
  });
  const secret = process.env['PAYSESSION_WEBHOOK_SECRET'];
  const webhooks = secret === undefined ? undefined : { secret, notifyMerchant: console.log };
  const { url } = await createShop({ sessions, webhooks }).listen({
    port: Number(process.env['PORT'] ?? 4020),
  });
  console.log(`listening on ${url}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
