import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadSandboxClients } from '../../../sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';
import { parseSandboxClients } from '../../../sandbox/clients';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-clients-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function file(content: string): Promise<string> {
  const path = join(folder, 'clients.json');
  await writeFile(path, content);
  return path;
}

const clientWithoutAccount = { ...DEFAULT_CLIENT, clientId: 'clientWithoutAccount', settlementAccount: null };

describe('clients', () => {
  test('are read from a file', async () => {
    const clients = [DEFAULT_CLIENT, clientWithoutAccount];
    expect(loadSandboxClients(await file(JSON.stringify(clients)))).toEqual(clients);
  });

  test('from a missing file are refused, with the file’s path', () => {
    const path = join(folder, 'nowhere.json');
    expect(() => loadSandboxClients(path)).toThrow(
      expect.objectContaining({
        code: 'INVALID_FILE',
        message: `The clients file ${path} cannot be read (ENOENT).`,
      }),
    );
  });

  test('from a file that is not JSON are refused, without a quote from the file', async () => {
    const path = await file('[{"clientSecret": "hunter2" oops');
    expect(() => loadSandboxClients(path)).toThrow(`The clients file ${path} is not JSON (line `);
  });

  test('with several failures are refused, with every failure and no value', () => {
    const wrong = { ...DEFAULT_CLIENT, clientId: '', features: ['Magic'], clientSecret: ['hunter2'] };
    const reversed = { ...clientWithoutAccount, minimumAmount: 5, maximumAmount: 4 };
    const parse = () => parseSandboxClients([wrong, reversed]);
    for (const path of ['0.clientId', '0.features.0', '0.clientSecret', '1.minimumAmount']) {
      expect(parse).toThrow(path);
    }
    expect(parse).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
    expect(parse).not.toThrow('hunter2');
  });

  test.each([
    ['no entry', []],
    ['an id twice', [clientWithoutAccount, clientWithoutAccount]],
    ['an id with a colon', [{ ...clientWithoutAccount, clientId: 'a:b' }]],
    ['an object in place of the list', { clients: [] }],
    ['a misspelt field', [{ ...clientWithoutAccount, displayNam: 'Shop' }]],
    [
      'a misspelt field of an account',
      [{ ...clientWithoutAccount, settlementAccount: { ...DEFAULT_CLIENT.settlementAccount, transit: '1' } }],
    ],
  ])('with %s are refused', (_what, json) => {
    expect(() => parseSandboxClients(json)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
  });
});
