import { NativeConnection } from '@temporalio/worker';
import { PaymentLedger } from '../../ledger';
import { createWorker } from '../../worker';
import { serveAsWorker } from './worker-process';

serveAsWorker(async (address) => {
  const connection = await NativeConnection.connect({ address });
  const {
    SERVICE_URL: baseUrl = '',
    CLIENT_ID: clientId = '',
    CLIENT_SECRET: clientSecret = '',
    HELD_AT_MOST: heldAtMost,
    LEDGER_URL: ledgerUrl,
  } = process.env;
  return createWorker({
    connection,
    accounts: { default: { baseUrl, clientId, clientSecret } },
    ...(ledgerUrl !== undefined && { ledger: new PaymentLedger({ url: ledgerUrl }) }),
    ...(heldAtMost !== undefined && { maxHeldSessions: Number(heldAtMost) }),
  });
});
