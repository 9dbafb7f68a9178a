import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { cleanUp, client, giveToken, localService } from '../../support/service/local-service';

afterEach(cleanUp);

test('the client of the payment service closes an idle connection within five seconds, although the service offers to keep it open', async () => {
  const service = await localService({
    '/authorize': (response, received, count) => {
      response.setHeader('keep-alive', 'timeout=600').setHeader('connection', 'keep-alive');
      giveToken(response, received, count);
    },
  });
  const connected = once(service.server, 'connection') as Promise<[Socket]>;
  await client(service.baseUrl).authenticate();
  const [socket] = await connected;
  const idleSinceMs = performance.now();
  await once(socket, 'end');
  expect(performance.now() - idleSinceMs).toBeLessThan(4_500);
});
