import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readNews, readSettings } from '../../../src/settings';
import { errorOf, failuresOf } from '../../support/settings/failures';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const URL = 'https://shop.example/news';
const folder = mkdtempSync(join(tmpdir(), 'paysession-news-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function newsFile(content: unknown): { readonly PAYSESSION_NEWS_FILE: string } {
  const path = join(folder, 'endpoints.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return { PAYSESSION_NEWS_FILE: path };
}

const withEndpoint = (endpoint: object, name = 'shop') =>
  newsFile({ endpoints: { [name]: { url: URL, secrets: [SECRET], ...endpoint } } });

describe('endpoints of news', () => {
  test('are none where nothing is set', () => {
    expect(readNews({})).toBeUndefined();
  });

  test('are one of two variables', () => {
    expect(readNews({ PAYSESSION_NEWS_URL: URL, PAYSESSION_NEWS_SECRET: SECRET })).toEqual({
      endpoints: [{ name: 'default', url: URL, secrets: [SECRET] }],
      allowsLoopback: false,
    });
  });

  test('are those of a file, where the variables win for `default`', () => {
    const file = newsFile({
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
      readNews({ ...file, PAYSESSION_NEWS_URL: URL, PAYSESSION_NEWS_SECRET: SECRET }) ?? {};
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

  test('may be on this machine only where that is said', () => {
    const here = { PAYSESSION_NEWS_URL: 'http://localhost:3000/news', PAYSESSION_NEWS_SECRET: SECRET };
    expect(failuresOf(() => readNews(here))).toEqual([
      expect.stringMatching(/^PAYSESSION_NEWS_URL must be an https URL/),
    ]);
    expect(readNews({ ...here, PAYSESSION_NEWS_LOOPBACK: 'true' })?.allowsLoopback).toBe(true);
  });

  test.each([
    [{ PAYSESSION_NEWS_URL: URL }, 'PAYSESSION_NEWS_SECRET'],
    [{ PAYSESSION_NEWS_SECRET: SECRET }, 'PAYSESSION_NEWS_URL'],
  ])('of which a half is missing are refused', (env, path) => {
    expect(failuresOf(() => readNews(env))).toEqual([
      `${path} is missing: an endpoint needs a URL and a secret`,
    ]);
  });

  test('need a ledger', () => {
    const env = { PAYSESSION_NEWS_URL: URL, PAYSESSION_NEWS_SECRET: SECRET };
    expect(failuresOf(() => readSettings(env))).toEqual([
      'PAYSESSION_NEWS_URL needs a ledger: set PAYSESSION_LEDGER_URL',
    ]);
    const ledger = { PAYSESSION_LEDGER_URL: 'postgresql://u:p@127.0.0.1/d' };
    expect(readSettings({ ...env, ...ledger }).news?.endpoints).toHaveLength(1);
  });
});

describe('a file of endpoints is refused', () => {
  test.each<[string, () => { readonly PAYSESSION_NEWS_FILE: string }, RegExp]>([
    ['that is no JSON', () => newsFile('{'), /it is not JSON/],
    ['without an endpoint', () => newsFile({ endpoints: {} }), /endpoints must name at least one/],
    ['with a misspelt member', () => withEndpoint({ secret: SECRET }), /Unrecognized key: "secret"/],
    [
      'with a name in capitals',
      () => withEndpoint({}, 'Shop'),
      /a name in endpoints must be 1 to 63 lower-case/,
    ],
    [
      'with a URL inside the network',
      () => withEndpoint({ url: 'https://10.0.0.1/' }),
      /endpoints.shop.url must be/,
    ],
    ['without a secret', () => withEndpoint({ secrets: [] }), /endpoints.shop.secrets must hold a secret/],
    [
      'with three secrets',
      () => withEndpoint({ secrets: [SECRET, OTHER, SECRET] }),
      /or two during a rotation/,
    ],
    [
      'with a short secret',
      () => withEndpoint({ secrets: ['whsec_c2hvcnQ='] }),
      /endpoints.shop.secrets.0 must be/,
    ],
    [
      'with an unknown kind',
      () => withEndpoint({ kinds: ['session.payed'] }),
      /endpoints.shop.kinds.0 must be one of session.opened/,
    ],
    [
      'that tells nothing',
      () => withEndpoint({ kinds: [] }),
      /must name at least one kind of news, or be left out/,
    ],
  ])('%s', (_what, file, message) => {
    const error = errorOf(() => readNews(file()));
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringMatching(message) });
    const { message: told } = error;
    expect([told.includes('c2hvcnQ'), told.includes(SECRET)]).toEqual([false, false]);
  });

  test('that tells personal data in plain text', () => {
    const file = withEndpoint({ url: 'http://localhost:3000/', personalData: true });
    const error = errorOf(() => readNews({ ...file, PAYSESSION_NEWS_LOOPBACK: 'true' }));
    expect(error).toMatchObject({
      message: expect.stringMatching(/endpoints.shop.personalData needs https/),
    });
  });
});
