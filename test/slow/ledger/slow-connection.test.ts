import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { LedgerDatabase } from '../../../ledger/postgres/database';
import { closesLater, testLedger } from '../../support/ledger/test-ledger';
import { until } from '../../support/wait';

/** The connections of a pool. */
const MOST = 10;
/** A statement waits at most two seconds for a connection. */
const LONGER_THAN_A_PLACE_MS = 2_500;
const FAR_TOO_LONG_MS = 60_000;

/** Starts a proxy to a PostgreSQL server. On request, it holds back what the server sends at the end of a new connection’s log-in. */
async function holdingProxy(url: string) {
  const { hostname, port } = new URL(url);
  const held: (() => void)[] = [];
  const proxy = {
    url: '',
    holds: false,
    release: () => {
      for (const go of held.splice(0)) go();
    },
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const isHeld = proxy.holds;
    let isLoggedIn = false;
    far.on('data', (chunk) => {
      // The message ReadyForQuery ends a log-in.
      isLoggedIn ||= chunk.length >= 6 && chunk.at(-6) === 'Z'.charCodeAt(0);
      near.write(chunk);
    });
    near.on('data', (chunk) => {
      if (isHeld && isLoggedIn && proxy.holds) held.push(() => far.write(chunk));
      else far.write(chunk);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closesLater(async () => {
    await once(server.close(), 'close');
  });
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  proxy.url = own.href;
  return proxy;
}

test('if a connection to the ledger opens only after its statement has timed out, later statements can use it', async () => {
  const own = await testLedger();
  const proxy = await holdingProxy(own.url);
  const database = new LedgerDatabase(proxy.url);
  const [first, others] = [new AbortController(), new AbortController()];
  let begun = 0;
  const busy = Array.from({ length: MOST }, (_connection, index) =>
    database
      .transaction(async (statements) => {
        await statements.query('select 1');
        begun += 1;
        await once((index === 0 ? first : others).signal, 'abort');
        throw new Error('This connection is not used again.');
      })
      .catch((error: unknown) => error),
  );
  await until(
    () => Promise.resolve(begun),
    (count) => count === MOST,
  );
  proxy.holds = true;
  const waiting = database.query('select 1 as one').catch((error: unknown) => error);
  first.abort();
  await sleep(LONGER_THAN_A_PLACE_MS);
  proxy.holds = false;
  proxy.release();
  others.abort();
  await Promise.all([waiting, ...busy]);
  const closed = database.close().then(() => 'closed');
  expect(await Promise.race([closed, sleep(FAR_TOO_LONG_MS, 'open', { ref: false })])).toBe('closed');
});
