import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { SessionRequest } from '../../../src';
import { completing } from '../../support/requests';
import { until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { forget } from '../../support/ledger/forget';
import { worldOn } from '../../support/ledger/ledger-world';
import { testLedger, type TestLedger } from '../../support/ledger/test-ledger';

/** A Temporal server that deletes an ended workflow within 100 ms of the request to delete it. */
const temporal = useTemporalServer({ 'history.transferProcessorUpdateAckInterval': '"100ms"' });

const encryption = {
  current: { id: '2026-05', secret: createHash('sha256').update('a key of the ring').digest() },
};

/** Returns a request and metadata whose values occur nowhere else, so that the test can search for them. */
function canaries() {
  const mark = () => `canary${randomUUID().replaceAll('-', '')}`;
  const [firstName, lastName, mailbox, customer, note] = [mark(), mark(), mark(), mark(), mark()];
  const completed = completing();
  const payor = { ...completed.payor, firstName, lastName, email: `${mailbox}@example.com` };
  return {
    request: { ...completed, payor } as SessionRequest,
    metadata: { customer, note },
    marks: [firstName, lastName, mailbox, customer, note],
  };
}

/** Returns all rows of all tables as they are stored, with encrypted values still encrypted. */
async function dump({ database }: TestLedger): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'paysession_ledger' and table_type = 'BASE TABLE'`,
  );
  const parts = tables.map(({ name }) =>
    database.query<{ row: string }>(`select one::text as row from paysession_ledger.${name} one`),
  );
  return (await Promise.all(parts)).flatMap((rows) => rows.map(({ row }) => row)).join('\n');
}

test('once the ledger has erased a session and Temporal has deleted it, no place contains personal data, even for a reader with all keys', async () => {
  const own = await testLedger({ encryption });
  const world = await worldOn(own, { temporalAddress: temporal.address });
  const { request, metadata, marks } = canaries();
  const input = { ...world.input(request, { searchableMetadata: ['customer'] }), metadata };
  const { session } = await world.sessions.open(input);
  await session.result();
  const known = async () => JSON.stringify(await own.ledger.entriesOf(input.key));
  const inTemporal = async () => {
    const { workflowService } = world.client;
    const query = `WorkflowId = '${session.workflowId}'`;
    const listed = await workflowService.listWorkflowExecutions({ namespace: 'default', query });
    return JSON.stringify(listed);
  };
  const history = async () =>
    JSON.stringify(await world.client.workflow.getHandle(session.workflowId).fetchHistory());
  const before = await known();
  for (const mark of marks) expect(before).toContain(mark);
  expect(await dump(own)).toContain(metadata.customer);
  expect(await history()).not.toBe('');
  const [sealed] = await own.database.query<{ wrapped: Buffer }>(
    'select wrapped from paysession_ledger.session_keys',
  );
  await own.ledger.erase(input.key, { by: 'Bea', reason: 'request 77' });
  await forget(world, session);
  await until(inTemporal, (listed) => !listed.includes(input.key));
  await expect(history()).rejects.toThrow('not found');
  const after = `${await known()}\n${await dump(own)}`;
  for (const mark of marks) {
    expect(after).not.toContain(mark);
    expect(after).not.toContain(Buffer.from(mark).toString('hex'));
    expect(after).not.toContain(Buffer.from(mark).toString('base64').slice(0, 40));
  }
  expect(after).not.toContain(sealed?.wrapped.toString('hex'));
});
