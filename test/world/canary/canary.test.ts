import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { cleanUp } from '../../support/service/local-service';
import { foundIn, formsOf, plantCanaries, type CanaryName } from '../../support/canary/canaries';
import { PLACES, type Traces } from '../../support/canary/places';
import { play, stopObservers } from '../../support/canary/scene';

// A canary is a value that occurs nowhere else, such as a made-up payor name. These tests play sessions in which every
// datum is a canary, with a service that repeats the data in its answers. Then they search every place where paysession
// stores or writes data for the canaries.

const GUIDE = join(__dirname, '..', '..', '..', 'docs', 'guides', 'encryption.md');

afterEach(cleanUp);
afterAll(stopObservers);

/** For each place, such as the worker’s log, the canaries that were found there in plain text. */
type Found = Readonly<Record<string, readonly CanaryName[]>>;

async function search(traces: Traces, canaries: ReturnType<typeof plantCanaries>): Promise<Found> {
  const found = await Promise.all(
    PLACES.map(async ({ name, read }) => {
      const held = await read(traces);
      expect([name, held.length]).not.toEqual([name, 0]);
      return [name, foundIn(held, canaries)] as const;
    }),
  );
  return Object.fromEntries(found);
}

async function playAndSearch(required: boolean): Promise<Found> {
  const canaries = plantCanaries();
  const keys = { current: { id: 'canary', secret: randomBytes(32) } };
  const traces = await play(canaries, required ? keys : undefined);
  try {
    return await search(traces, canaries);
  } finally {
    await traces.close();
  }
}

test('if encryption is required, no place contains a canary', async () => {
  expect(await playAndSearch(true)).toEqual(Object.fromEntries(PLACES.map(({ name }) => [name, []])));
});

test('without encryption, exactly the places in the encryption guide’s table contain canaries', async () => {
  const table = tableOf(await playAndSearch(false));
  const [, shown] =
    /<!-- canaries -->\n\n([^]*?)\n\n<!-- \/canaries -->/.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  expect(normal(shown)).toBe(normal(table));
});

const COLUMNS: readonly CanaryName[] = [
  'payor’s name',
  'email',
  'account number',
  'client secret',
  'access token',
];

function tableOf(found: Found): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(found).map(([place, names]) =>
    row([place, ...COLUMNS.map((column) => (names.includes(column) ? 'plain text' : '–'))]),
  );
  return [row(['', ...COLUMNS]), row(['---', ...COLUMNS.map(() => '---')]), ...rows].join('\n');
}

/** Returns the table without the spaces and dashes with which a formatter aligns its columns. */
const normal = (table = ''): string => table.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

describe('the search finds a canary', () => {
  const VALUE = 'Zq0123456789abcdef+pay@example.com';
  const canaries = { ...plantCanaries(), email: [VALUE] };

  test.each([
    ['in plain text', VALUE],
    ['in a URL', encodeURIComponent(VALUE)],
    ['in hexadecimal', Buffer.from(VALUE).toString('hex')],
    ['in base64', Buffer.from(VALUE).toString('base64')],
    ['in base64 after one byte', Buffer.from(`{${VALUE}}`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`{"${VALUE}"}`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`a>?${VALUE}`).toString('base64url')],
  ])('%s', (_name, text) => {
    expect(foundIn(Buffer.from(`before ${text} after`), canaries)).toEqual(['email']);
  });

  test('only by texts of twelve or more characters, which do not occur by chance', () => {
    for (const form of formsOf('123456789012')) expect(form.length).toBeGreaterThanOrEqual(12);
  });
});
