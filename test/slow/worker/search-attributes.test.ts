import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { examine } from '../../../cli/commands/doctor/checks';
import { startTemporalServer, type RunningTemporalServer } from '../../../src/temporal-server';
import { addAttributes, ensureAttributes } from '../../../src/settings/register-search-attributes';
import { createWorker } from '../../../worker';
import { globalValue, testBundle } from '../../support/setup/global-values';
import { use } from '../../support/worlds/use';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const { INDEXED_VALUE_TYPE_TEXT: TEXT } = temporal.api.enums.v1.IndexedValueType;
const { status, changeDelay } = SEARCH_ATTRIBUTES;
const namespace = 'default';
const EXECUTABLE = 'PAYSESSION_TEST_TEMPORAL_EXECUTABLE';

const useBareTemporal = (): RunningTemporalServer =>
  use(
    () => startTemporalServer({ executable: globalValue(EXECUTABLE) }),
    (temporal) => temporal.stop(),
  );

/** Adds search attributes with our names and the type Text, as another program may have done. */
async function addAsText(address: string, names: readonly string[]): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const searchAttributes = Object.fromEntries(names.map((name) => [name, TEXT]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } finally {
    await connection.close();
  }
}

async function startWorker(address: string): Promise<void> {
  const connection = await NativeConnection.connect({ address });
  try {
    const worker = await createWorker({ connection, accounts: {}, bundlePath: testBundle() });
    const running = worker.run();
    worker.shutdown();
    await running;
  } finally {
    await connection.close();
  }
}

const SUBJECT = 'Search attributes';
/** The subjects that doctor reports as faulty until the server can search by the attributes. */
const OF_ATTRIBUTES = ['Temporal server', SUBJECT, 'Sessions in trouble'];
const findings = (address: string) => examine({ TEMPORAL_ADDRESS: address });

describe('if the namespace has one of our search attributes with a wrong type', () => {
  const temporal = useBareTemporal();

  test('a worker does not start, and prints the commands that fix it', async () => {
    expect(await findings(temporal.address)).toContainEqual(
      expect.objectContaining({
        subject: SUBJECT,
        ok: false,
        found: expect.stringMatching(/^missing in the namespace default: .*PaymentSessionStatus/),
      }),
    );
    await addAsText(temporal.address, [status, changeDelay]);
    const error = await startWorker(temporal.address).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SEARCH_ATTRIBUTES_MISTYPED' });

    const other = 'PaymentSessionStatus (Text, not Keyword), PaymentSessionChangeDelayMs (Text, not Int)';
    expect(await findings(temporal.address)).toContainEqual(
      expect.objectContaining({
        subject: SUBJECT,
        ok: false,
        found: expect.stringContaining(`of the wrong type in the namespace default: ${other}`),
      }),
    );

    const commands = (error as Error).message.match(/^ {2}temporal .+$/gm) ?? [];
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const args = command.trim().split(' ').slice(1);
      await promisify(execFile)(globalValue(EXECUTABLE), [...args, '--address', temporal.address]);
    }
    await startWorker(temporal.address);
    expect(await findings(temporal.address)).toContainEqual(
      expect.objectContaining({ subject: SUBJECT, ok: true }),
    );
  });
});

describe('if search attributes were registered a moment ago', () => {
  const temporal = useBareTemporal();

  test('doctor waits until the server can search by them', async () => {
    const connection = await Connection.connect({ address: temporal.address });
    try {
      await addAttributes(connection, { namespace });
    } finally {
      await connection.close();
    }
    expect(
      (await findings(temporal.address)).filter(({ subject }) => OF_ATTRIBUTES.includes(subject)),
    ).toEqual(OF_ATTRIBUTES.map((subject) => expect.objectContaining({ subject, ok: true })));
  });
});

test('startTemporalServer fails on a database in which one of our search attributes has a wrong type', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-attributes-'));
  const options = { executable: globalValue(EXECUTABLE), databaseFile: join(folder, 'temporal.db') };
  try {
    const first = await startTemporalServer(options);
    await addAsText(first.address, [status]);
    await first.stop();
    const started = startTemporalServer({ ...options, searchAttributes: [status] });
    const outcome = started.then(
      (temporal) => temporal.stop(),
      (error: unknown) => error,
    );
    expect(await outcome).toMatchObject({ code: 'SEARCH_ATTRIBUTES_MISTYPED' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('after adding search attributes, a worker reads them back from the server', async () => {
  const answers = [{}, {}, { [status]: TEXT }];
  const operatorService = {
    listSearchAttributes: () => Promise.resolve({ customAttributes: answers.shift() }),
    addSearchAttributes: () => Promise.resolve({}),
  };
  const server = { operatorService } as unknown as Parameters<typeof ensureAttributes>[0];
  await expect(ensureAttributes(server, { namespace, names: [status] })).rejects.toMatchObject({
    code: 'SEARCH_ATTRIBUTES_MISTYPED',
  });
  expect(answers).toEqual([]);
});

test.each([
  ['accepts', () => Promise.resolve({}), 'does not list them yet'],
  ['refuses', () => Promise.reject(new Error('denied')), 'does not allow the worker to add them'],
])(
  'search attributes that a server %s and does not list are reported with this reason',
  async (_what, answer, said) => {
    const operatorService = {
      listSearchAttributes: () => Promise.resolve({ customAttributes: {} }),
      addSearchAttributes: answer,
    };
    const server = { operatorService } as unknown as Parameters<typeof ensureAttributes>[0];
    await expect(ensureAttributes(server, { namespace, names: [status] })).rejects.toMatchObject({
      code: 'SEARCH_ATTRIBUTES_MISSING',
      message: expect.stringContaining(said),
    });
  },
);
