import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readWebhooks, readSettings } from '../../../src/settings';
import { errorOf, failuresOf } from '../../support/settings/failures';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const URL = 'https://shop.example/webhooks';
const folder = mkdtempSync(join(tmpdir(), 'paysession-webhooks-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function endpointsFile(content: unknown): { readonly PAYSESSION_WEBHOOK_FILE: string } {
  const path = join(folder, 'endpoints.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return { PAYSESSION_WEBHOOK_FILE: path };
}

const withEndpoint = (endpoint: object, name = 'shop') =>
  endpointsFile({ endpoints: { [name]: { url: URL, secrets: [SECRET], ...endpoint } } });

describe('webhook endpoints', () => {
  test('are undefined if no setting is set', () => {
    expect(readWebhooks({})).toBeUndefined();
  });

  test('can be set by two variables, which are the endpoint `default`', () => {
    expect(readWebhooks({ PAYSESSION_WEBHOOK_URL: URL, PAYSESSION_WEBHOOK_SECRET: SECRET })).toEqual({
      endpoints: [{ name: 'default', url: URL, secrets: [SECRET] }],
      allowsLoopback: false,
    });
  });

  test('can be set by a file, and the two variables replace the endpoint `default` in the file', () => {
    const file = endpointsFile({
      endpoints: {
        default: { url: 'https://old.example', secrets: [OTHER] },
        books: {
          url: URL,
          secrets: [SECRET, OTHER],
          accounts: ['east'],
          kinds: ['session.paid'],
          personalData: true,
        },
      },
    });
    const { endpoints } =
      readWebhooks({ ...file, PAYSESSION_WEBHOOK_URL: URL, PAYSESSION_WEBHOOK_SECRET: SECRET }) ?? {};
    expect(endpoints).toEqual([
      {
        name: 'books',
        url: URL,
        secrets: [SECRET, OTHER],
        accounts: ['east'],
        kinds: ['session.paid'],
        personalData: true,
      },
      { name: 'default', url: URL, secrets: [SECRET] },
    ]);
  });

  test('may be on this machine only if a setting allows it', () => {
    const here = {
      PAYSESSION_WEBHOOK_URL: 'http://localhost:3000/webhooks',
      PAYSESSION_WEBHOOK_SECRET: SECRET,
    };
    expect(failuresOf(() => readWebhooks(here))).toEqual([
      expect.stringMatching(/^PAYSESSION_WEBHOOK_URL must be an https URL/),
    ]);
    expect(readWebhooks({ ...here, PAYSESSION_WEBHOOK_LOOPBACK: 'true' })?.allowsLoopback).toBe(true);
  });

  test.each([
    [{ PAYSESSION_WEBHOOK_URL: URL }, 'PAYSESSION_WEBHOOK_SECRET'],
    [{ PAYSESSION_WEBHOOK_SECRET: SECRET }, 'PAYSESSION_WEBHOOK_URL'],
  ])('are refused if only one of the two variables is set', (env, path) => {
    expect(failuresOf(() => readWebhooks(env))).toEqual([
      `${path} is missing: an endpoint needs a URL and a secret`,
    ]);
  });

  test('need a ledger', () => {
    const env = { PAYSESSION_WEBHOOK_URL: URL, PAYSESSION_WEBHOOK_SECRET: SECRET };
    expect(failuresOf(() => readSettings(env))).toEqual([
      'PAYSESSION_WEBHOOK_URL needs a ledger: set PAYSESSION_LEDGER_URL',
    ]);
    const ledger = { PAYSESSION_LEDGER_URL: 'postgresql://u:p@127.0.0.1/d' };
    expect(readSettings({ ...env, ...ledger }).webhooks?.endpoints).toHaveLength(1);
  });
});

describe('a file of webhook endpoints is refused', () => {
  test.each<[string, () => { readonly PAYSESSION_WEBHOOK_FILE: string }, RegExp]>([
    ['if it is not JSON', () => endpointsFile('{'), /it is not JSON/],
    ['if it has no endpoint', () => endpointsFile({ endpoints: {} }), /endpoints must name at least one/],
    ['if it has a misspelt member', () => withEndpoint({ secret: SECRET }), /Unrecognized key: "secret"/],
    [
      'if it has a name in capitals',
      () => withEndpoint({}, 'Shop'),
      /a name in endpoints must be 1 to 63 lower-case/,
    ],
    [
      'if it has a URL inside the network',
      () => withEndpoint({ url: 'https://10.0.0.1/' }),
      /endpoints.shop.url must be/,
    ],
    ['if it has no secret', () => withEndpoint({ secrets: [] }), /endpoints.shop.secrets must hold a secret/],
    [
      'if it has three secrets',
      () => withEndpoint({ secrets: [SECRET, OTHER, SECRET] }),
      /or two during a rotation/,
    ],
    [
      'if it has a short secret',
      () => withEndpoint({ secrets: ['whsec_c2hvcnQ='] }),
      /endpoints.shop.secrets.0 must be/,
    ],
    [
      'if it has an unknown kind',
      () => withEndpoint({ kinds: ['session.payed'] }),
      /endpoints.shop.kinds.0 must be one of session.opened/,
    ],
    [
      'if it has an empty list of kinds',
      () => withEndpoint({ kinds: [] }),
      /must name at least one kind of webhook, or be left out/,
    ],
  ])('%s', (_what, file, message) => {
    const error = errorOf(() => readWebhooks(file()));
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringMatching(message) });
    const { message: text } = error;
    expect([text.includes('c2hvcnQ'), text.includes(SECRET)]).toEqual([false, false]);
  });

  test('if it sends personal data in plain text', () => {
    const file = withEndpoint({ url: 'http://localhost:3000/', personalData: true });
    const error = errorOf(() => readWebhooks({ ...file, PAYSESSION_WEBHOOK_LOOPBACK: 'true' }));
    expect(error).toMatchObject({
      message: expect.stringMatching(/endpoints.shop.personalData needs https/),
    });
  });
});
