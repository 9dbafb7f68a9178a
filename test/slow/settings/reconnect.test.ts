import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, test } from '@jest/globals';
import { connectTemporal } from '../../../src/settings';
import { globalValue } from '../../support/setup/global-values';
import { until } from '../../support/wait';

/** After an outage of this length, gRPC’s default is to wait about fifteen seconds between two attempts to connect. */
const AWAY_MS = 30_000;
const HEARD_WITHIN_MS = 8_000;

/** A proxy in front of the Temporal server that the test can close and open again. */
class Gate {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  async open(): Promise<void> {
    const [host, port] = globalValue('PAYSESSION_TEST_TEMPORAL').split(':');
    const server = createServer((incoming) => {
      const outgoing = connect(Number(port), host);
      for (const socket of [incoming, outgoing]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const gate = new Gate();
afterAll(() => {
  gate.close();
});

test('after an outage of half a minute, a client reaches the Temporal server again within eight seconds', async () => {
  await gate.open();
  const { connection } = await connectTemporal({
    connection: { address: `127.0.0.1:${gate.port}` },
    namespace: 'default',
  });
  try {
    gate.close();
    const askedUntilMs = Date.now() + AWAY_MS;
    const isHeard = () =>
      connection.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      );
    // The client keeps sending calls, because an unused connection does not try to connect.
    while (Date.now() < askedUntilMs) await isHeard();
    await gate.open();
    await until(isHeard, Boolean, HEARD_WITHIN_MS);
  } finally {
    await connection.close();
  }
});
