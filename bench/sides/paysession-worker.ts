import { NativeConnection } from '@temporalio/worker';
import { createWorker } from '../../worker';
import { serveAsWorker } from './worker-process';

serveAsWorker(async (address) => {
  const connection = await NativeConnection.connect({ address });
  const {
    SERVICE_URL: baseUrl = '',
    CLIENT_ID: clientId = '',
    CLIENT_SECRET: clientSecret = '',
    IN_HAND_AT_MOST: inHandAtMost,
  } = process.env;
  return createWorker({
    connection,
    accounts: { default: { baseUrl, clientId, clientSecret } },
    ...(inHandAtMost !== undefined && { maxBursts: Number(inHandAtMost) }),
  });
});
