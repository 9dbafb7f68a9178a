import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readJsonFile, readText } from '../../../cli/shared/input-text';
import { readFile } from '../../../ledger/reconciliation/read-file';
import { loadSandboxClients } from '../../../sandbox/clients';
import { PaysessionError } from '../../../src/errors';
import { readWebhooks, readWorkerSettings } from '../../../src/settings';
import { readHistories } from '../../../testkit/histories/recorded-history';
import { eft } from '../../support/requests';
import { readLines } from '../../../cli/commands/session/start-many';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-text-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const account = { baseUrl: 'http://127.0.0.1:4010', clientId: 'shop', clientSecret: 'Chloé' };
const endpoint = {
  url: 'https://shop.example/Chloé',
  secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
};
const input = { key: 'Chloé', request: eft() };

/**
 * Readers of files. Each has a valid text, with a non-ASCII letter in the second line, and the value that it must return.
 */
const READERS: Readonly<Record<string, { text: string; read: (path: string) => unknown; is: unknown }>> = {
  'start --request': {
    text: '{\n"firstName": "Chloé"}\n',
    read: readJsonFile,
    is: { firstName: 'Chloé' },
  },
  'start-many': {
    text: `{"key":"a"}\n${JSON.stringify(input)}\n`,
    read: async (path) => (await all(readLines(path)))[1],
    is: { line: 2, input },
  },
  reconcile: {
    text: 'reference,amount,date,kind\nChloé,25.00,2026-05-06,settled\n',
    read: async (path) => (await all(readFile(readText(path), {})))[0],
    is: { line: 2, says: { kind: 'settled', date: '2026-05-06', cents: 2500, referenceId: 'Chloé' } },
  },
  'the accounts file': {
    text: `{"accounts":\n${JSON.stringify({ default: account })}}`,
    read: (path) => readWorkerSettings({ PAYSESSION_ACCOUNTS_FILE: path }).accounts['default'],
    is: account,
  },
  'the file of webhook endpoints': {
    text: `{"endpoints":\n${JSON.stringify({ shop: endpoint })}}`,
    read: (path) => readWebhooks({ PAYSESSION_WEBHOOK_FILE: path })?.endpoints[0],
    is: { name: 'shop', ...endpoint },
  },
  'the sandbox’s clients': {
    text: `[\n${JSON.stringify({ ...DEFAULT_CLIENT, displayName: 'Chloé' })}]`,
    read: (path) => loadSandboxClients(path)[0]?.displayName,
    is: 'Chloé',
  },
  replay: {
    text: '{"events":[\n{"eventId":"1","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED","workflowExecutionStartedEventAttributes":{"identity":"Chloé"}}]}',
    read: async (path) => {
      const [recorded] = await all(readHistories([path]));
      return recorded?.history.events?.[0]?.workflowExecutionStartedEventAttributes?.identity;
    },
    is: 'Chloé',
  },
};

describe.each(Object.entries(READERS))('the reader of %s', (_name, { text, read, is }) => {
  const reading = async (bytes: string | Uint8Array) => {
    const path = join(folder, 'file.json');
    writeFileSync(path, bytes);
    return await read(path);
  };
  const refusal = async (bytes: Uint8Array) => {
    const error: unknown = await reading(bytes).catch((caught: unknown) => caught);
    return error instanceof PaysessionError ? [error.code, error.message] : error;
  };

  test('ignores a byte order mark, and accepts CRLF', async () => {
    expect(await reading(text)).toEqual(is);
    expect(await reading(`\ufeff${text}`)).toEqual(is);
    expect(await reading(text.replaceAll('\n', '\r\n'))).toEqual(is);
  });

  test('refuses text that is not UTF-8, and names the line', async () => {
    for (const bytes of [Buffer.from(text, 'latin1'), Buffer.from(text.replace('é', '\x92'), 'latin1')])
      expect(await refusal(bytes)).toEqual([
        'INVALID_FILE',
        expect.stringContaining('is not UTF-8 in line 2'),
      ]);
  });

  test('refuses UTF-16 with or without a byte order mark, and the error names UTF-16', async () => {
    for (const start of ['', '\ufeff']) {
      const bytes = Buffer.from(start + text, 'utf16le');
      for (const each of [bytes, Buffer.from(bytes).swap16()])
        expect(await refusal(each)).toEqual(['INVALID_FILE', expect.stringContaining('is UTF-16')]);
    }
  });
});
