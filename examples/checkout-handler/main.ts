import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { PaymentSessions } from 'paysession';
import { checkoutHandler, type Order } from './handler';

/** The shop's orders. A real shop reads them from its database. */
const ORDERS: readonly Order[] = [
  {
    orderId: 'order-2077',
    amount: 25,
    payor: { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' },
  },
];

/** Serves `POST /checkout` until the process is stopped. */
async function main(): Promise<void> {
  const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
  const taskQueue = process.env['PAYSESSION_TASK_QUEUE'];
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const sessions = new PaymentSessions(client, {
    // The payor's page waits for the answer, so give up after ten seconds.
    openTimeoutMs: 10_000,
    ...(taskQueue !== undefined && { taskQueue }),
  });
  const checkout = checkoutHandler(sessions, (orderId) => ORDERS.find((order) => order.orderId === orderId));
  const server = createServer((request, response) => void checkout(request, response));
  server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/checkout`);
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
