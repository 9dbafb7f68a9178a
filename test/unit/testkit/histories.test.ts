import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { PaysessionError } from '../../../src/errors';
import { decidedByFailures } from '../../../src/protocol/decisions';
import { updateIdOf, isShared } from '../../../src/protocol/names';
import { exportSession } from '../../../testkit/histories/export-session';
import { Fakes } from '../../../testkit/histories/fakes';
import { historyFromJson, type JsonPayload } from '../../../testkit/histories/history-json';
import { readHistories } from '../../../testkit/histories/recorded-history';
import { sanitize, sanitizeHistory } from '../../../testkit/histories/sanitize-history';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const payload = (data: string, encoding = 'json/plain'): JsonPayload => ({
  metadata: { encoding: base64(encoding) },
  data: base64(data),
});
const json = (value: unknown) => payload(JSON.stringify(value));

/** The attributes of an event, by name. */
type Attributes = Readonly<Record<string, unknown>>;

async function sanitized(attributes: Attributes, codecs: readonly PayloadCodec[] = []): Promise<string> {
  const history = historyFromJson({ events: [{ eventId: '1', ...attributes }] });
  return sanitizeHistory(history, { fakes: new Fakes('seed'), codecs });
}

/** Returns the values of all payloads, in order. */
const valuesIn = (history: string): unknown[] =>
  [...history.matchAll(/"data": "([^"]*)"/g)].map(
    ([, data = '']) => JSON.parse(Buffer.from(data, 'base64').toString()) as unknown,
  );

const signalled = (payloads: readonly JsonPayload[], signalName = 'cancel') => ({
  workflowExecutionSignaledEventAttributes: { signalName, input: { payloads } },
});

const updated = (name: string, argument: unknown, updateId = 'an id') => ({
  workflowExecutionUpdateAcceptedEventAttributes: {
    protocolInstanceId: updateId,
    acceptedRequestMessageId: `${updateId}/request`,
    acceptedRequest: { meta: { updateId }, input: { name, args: { payloads: [json(argument)] } } },
  },
});

const PERSON = { by: 'Ottoline', reason: 'Quartermaine has asked' };

// An export writes a session's history without personal data: fakes replace texts that may be personal.
describe('an anomaly in an exported history', () => {
  test.each([
    'only the first 200 states are kept',
    'only the first 25 refreshes and reveals are kept',
    'Completed/EFT0302 to Initiated/EFT0101',
    'with Completed',
    'with Failed: it is not a text of 1 to 200 characters',
  ])('keeps texts that the workflow writes, such as: %s', (detail) => {
    expect(sanitize(detail, 'detail', new Fakes('seed'))).toBe(detail);
  });

  test('does not keep texts that the payment service has sent', () => {
    expect(sanitize('with Ottoline', 'detail', new Fakes('seed'))).not.toContain('Ottoline');
  });
});

describe('a cancel in an exported history', () => {
  const cancel = async (argument: unknown) => valuesIn(await sanitized(signalled([json(argument)])))[0];

  test('has a fake name and a fake reason in place of the original name and reason', async () => {
    const fake = await cancel(PERSON);
    expect(fake).toEqual({ by: expect.any(String), reason: expect.any(String) });
    expect(decidedByFailures(fake)).toEqual([]);
    expect(JSON.stringify(fake)).not.toMatch(/ottoline|quartermaine/i);
    expect(valuesIn(await sanitized(updated('cancelAndWait', PERSON)))).toEqual([fake]);
  });

  test('has a different fake for each person', async () => {
    const persons = ['ann@one.example', 'ann@two.example', 'Li', 'Bo'];
    const fakes = await Promise.all(persons.map((by) => cancel({ by })));
    expect(new Set(fakes.map((fake) => JSON.stringify(fake))).size).toBe(persons.length);
  });

  test.each([{ by: `ann@${'x'.repeat(200)}` }, { by: '' }, { reason: 7 }, { reason: '\ud800' }, 'Ottoline'])(
    'is as invalid as the original: %j',
    async (argument) => {
      expect(decidedByFailures(await cancel(argument))).not.toEqual([]);
    },
  );

  const strict: PayloadCodec = {
    encode: (payloads) => Promise.resolve(payloads),
    decode: () => Promise.reject(new PaysessionError('ENCRYPTION_REQUIRED', 'it is in plain text')),
  };

  test.each([
    ['because it is not JSON', signalled([payload('{"by":"Ottoline')]), []],
    ['because of its encoding', signalled([payload('Ottoline', 'binary/plain')]), []],
    ['because it is not encrypted', signalled([json(PERSON)]), [strict]],
    ['because it belongs to another signal', signalled([json(PERSON)], 'other'), []],
    ['because it is the second argument', signalled([json(null), json(PERSON)]), []],
  ])('does not contain an argument that the session ignores %s', async (_why, event, codecs) => {
    expect(JSON.stringify(valuesIn(await sanitized(event, codecs)))).toMatch(/^\[(null)?\]$/);
  });
});

describe('an update in an exported history', () => {
  test.each([
    [0, 0],
    [12_345, 12_345],
    [4_165_550_123, 99_999],
    [-4_165_550_123, 99_999],
  ])('has the revision %j as %j', async (revision, exported) => {
    expect(valuesIn(await sanitized(updated('awaitChange', revision)))).toEqual([exported]);
  });

  test.each(['awaitOpened', updateIdOf('awaitChange', 7), 'awaitChange/Ottoline', 'Ottoline'])(
    'has a fake id, of the same kind as the original id %s (shared by callers, or of one caller)',
    async (updateId) => {
      const history = await sanitized(updated('awaitChange', 7, updateId));
      expect(history).not.toContain('Ottoline');
      const [, fake = ''] = /"updateId": "([^"]*)"/.exec(history) ?? [];
      expect(isShared(fake)).toBe(isShared(updateId));
      expect(history).toContain(`"protocolInstanceId": "${fake}"`);
      expect(history).toContain(`"acceptedRequestMessageId": "${fake}/request"`);
      // The list of answered updates, which the next run receives, has the same fake id.
      expect(sanitize({ answered: [updateId] }, 'payloads', new Fakes('seed'))).toEqual({ answered: [fake] });
    },
  );
});

/** Returns a client of a Temporal server that has these runs of a session, newest last. */
function clientWith(runs: Readonly<Record<string, { readonly continued: string } | undefined>>): Client {
  const latest = Object.keys(runs).at(-1) ?? '';
  const getHandle = (workflowId: string, runId = latest) => ({
    fetchHistory: () => {
      const run = runs[runId];
      if (run === undefined) return Promise.reject(new WorkflowNotFoundError('not found', workflowId, runId));
      const started = { continuedExecutionRunId: run.continued };
      const events = [{ eventId: '1', workflowExecutionStartedEventAttributes: started }];
      return Promise.resolve(historyFromJson({ events }));
    },
  });
  const options = { loadedDataConverter: { payloadCodecs: [] } };
  return { workflow: { getHandle }, options } as unknown as Client;
}

test('the file name of an exported history depends only on the key and the seed', async () => {
  const nameOf = async (key: string, seed = 'seed') =>
    (await exportSession(clientWith({ run: { continued: '' } }), key, { seed }))[0]?.fileName ?? '';
  const keys = [...Array.from({ length: 10 }, (_, digit) => String(digit)), '***', '+++', '💳'.repeat(200)];
  const names = await Promise.all(keys.map((key) => nameOf(key)));
  expect(new Set(names).size).toBe(keys.length);
  for (const name of names) expect(name).toMatch(/^[0-9a-f-]{36}\.json$/);
  expect(await nameOf('1')).toBe(names[1]);
  expect(await nameOf('1', 'other')).not.toBe(names[1]);
});

describe('an export of a session that continued as new', () => {
  test('has the runs that the Temporal server has not deleted', async () => {
    const client = clientWith({ second: { continued: 'first' }, third: { continued: 'second' } });
    const runs = await exportSession(client, 'order');
    expect(runs.map(({ fileName }) => fileName.replace(/^[\w-]+/, ''))).toEqual(['.1.json', '.2.json']);
  });

  test('fails if the Temporal server has deleted all runs', async () => {
    await expect(exportSession(clientWith({}), 'order')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

test('the error about an unreadable file of a history says that the file cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-histories-'));
  try {
    const file = join(folder, 'order.json');
    mkdirSync(file);
    await expect(readHistories([folder])[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: `${file} cannot be read: check the path and its permissions.`,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
