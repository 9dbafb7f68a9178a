/**
 * Records the histories that test/replay replays, from the built code and a real engine: `npm run build` first, then
 * `node scripts/record-histories.mjs`. Machine names and stack traces are left out.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { Client, Connection } = require('@temporalio/client');
const { historyToJSON } = require('@temporalio/common/lib/proto-utils');
const { startStack } = require('../dist/src/cli/stack.js');

const directory = fileURLToPath(new URL('../test/replay/histories/', import.meta.url));
const policy = { fastestPoll: '200ms', slowestUnsignedPoll: '500ms' };
const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery.tremblay@example.com' };

const eft = (referenceId, more = {}) => ({
  type: 'EFT',
  direction: 'DEBIT',
  amount: 25,
  referenceId,
  options: { guarantee: { enable: false } },
  payor,
  ...more,
});

const completes = (session) => session.result();

/** Each history by its file name: the request, and what happens to the session. */
const recordings = {
  'eft-completed': [eft('sandbox-completes'), completes],
  'eft-signed-later': [eft('sandbox-signs-later'), completes],
  'eft-identity-failed': [eft('sandbox-identity-failed'), completes],
  'eft-expired': [eft('sandbox-expires'), completes],
  'e-transfer-completed': [eft('sandbox-completes', { type: 'e-Transfer' }), completes],
  'eft-cancelled-by-signal': [
    eft('sandbox-stays-initiated'),
    async (session) => {
      await session.opened();
      await session.cancel();
      await session.result();
    },
  ],
  'eft-cancelled-by-update-after-refresh': [
    eft('sandbox-stays-initiated'),
    async (session) => {
      await session.opened();
      await session.refresh();
      await session.cancelAndWait();
      await session.result();
    },
  ],
  'eft-rejected': [
    eft('sandbox-completes', { amount: 9_999_999 }),
    (session) => session.result().catch(() => undefined),
  ],
};

const withoutMachine = (json) =>
  JSON.stringify(
    JSON.parse(json, (name, value) =>
      name === 'identity' ? 'paysession' : name === 'stackTrace' ? '' : value,
    ),
    null,
    1,
  );

const stack = await startStack({ sandbox: { paceMs: 700 } });
const connection = await Connection.connect({ address: stack.engineAddress });
try {
  const client = new Client({ connection });
  await mkdir(directory, { recursive: true });
  await Promise.all(
    Object.entries(recordings).map(async ([name, [request, play]]) => {
      const session = await stack.sessions.start({ key: name, request, policy });
      await play(session);
      const history = await client.workflow.getHandle(session.workflowId).fetchHistory();
      await writeFile(`${directory}${name}.json`, `${withoutMachine(historyToJSON(history))}\n`);
      console.log(`${name}: ${history.events.length} events`);
    }),
  );
} finally {
  await connection.close();
  await stack.stop();
}
