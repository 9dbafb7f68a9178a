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

async function clientsFile(content: string): Promise<string> {
  const path = join(folder, 'clients.json');
  await writeFile(path, content);
  return path;
}

const clientWithoutAccount = { ...DEFAULT_CLIENT, clientId: 'clientWithoutAccount', settlementAccount: null };

describe('the list of clients', () => {
  test('is read from a file', async () => {
    const clients = [DEFAULT_CLIENT, clientWithoutAccount];
    expect(loadSandboxClients(await clientsFile(JSON.stringify(clients)))).toEqual(clients);
  });

  test('from a missing file is refused, and the error has the path', () => {
    const path = join(folder, 'nowhere.json');
    expect(() => loadSandboxClients(path)).toThrow(
      expect.objectContaining({
        code: 'INVALID_FILE',
        message: `The clients file ${path} cannot be read (ENOENT).`,
      }),
    );
  });

  test('from a file that is not JSON is refused, and the error quotes nothing of the file', async () => {
    const path = await clientsFile('[{"clientSecret": "hunter2" oops');
    expect(() => loadSandboxClients(path)).toThrow(`The clients file ${path} is not JSON (line `);
  });

  test('with several failures is refused, and the error lists every failure but no value', () => {
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
    ['no client', []],
    ['an id twice', [clientWithoutAccount, clientWithoutAccount]],
    ['an id with a colon', [{ ...clientWithoutAccount, clientId: 'a:b' }]],
    ['an object around it', { clients: [] }],
    ['a misspelt field', [{ ...clientWithoutAccount, displayNam: 'Shop' }]],
    [
      'a misspelt field of an account',
      [{ ...clientWithoutAccount, settlementAccount: { ...DEFAULT_CLIENT.settlementAccount, transit: '1' } }],
    ],
  ])('with %s is refused', (_what, json) => {
    expect(() => parseSandboxClients(json)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }));
  });
});
