import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { use } from '../../support/worlds/use';
import { startOwnTemporalServer } from '../../support/worlds/own-temporal';
import { PROJECT } from '../../support/compose/load-compose';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';
import { attributeType } from '../../../src/settings/register-search-attributes';

const run = promisify(execFile);
const server = use(
  () => startOwnTemporalServer(),
  (running) => running.stop(),
);

const DAY_S = 86_400;
const ATTRIBUTE_TYPES = {
  Keyword: 'INDEXED_VALUE_TYPE_KEYWORD',
  KeywordList: 'INDEXED_VALUE_TYPE_KEYWORD_LIST',
  Int: 'INDEXED_VALUE_TYPE_INT',
};

test('the Compose job creates the namespace with its retention and all search attributes, and a second run succeeds too', async () => {
  const namespace = `payments-${randomUUID()}`;
  const executable = process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'] ?? '';
  const env = {
    ...process.env,
    PATH: `${dirname(executable)}:${process.env['PATH'] ?? ''}`,
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: namespace,
  };
  const script = join(PROJECT, 'deploy', 'compose', 'create-namespace.sh');
  await run('sh', [script], { env });
  await run('sh', [script], { env });

  const connection = await Connection.connect({ address: server.address });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * DAY_S);
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const registered = Object.fromEntries(
      Object.entries(customAttributes).map(([name, type]) => [
        name,
        temporal.api.enums.v1.IndexedValueType[type],
      ]),
    );
    const needed = Object.values(SEARCH_ATTRIBUTES).map((name) => [
      name,
      ATTRIBUTE_TYPES[attributeType(name)],
    ]);
    expect(registered).toEqual(Object.fromEntries(needed));
  } finally {
    await connection.close();
  }
});
