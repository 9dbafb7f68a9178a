import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readHistories, replayHistories, type RecordedHistory } from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { testSeed } from '../../support/seed';
import { temporalOf } from '../../replay/corpus/scene';
import { SCENES } from '../../replay/corpus/scenes';
import { HISTORIES, runNames, TABLE_FILE, type Table } from '../../replay/corpus/table';
import { bundleObserved, observeReplays, type Observed } from '../../replay/observe';
import { prefixes } from '../../../testkit/histories/recorded-history';

const table = JSON.parse(readFileSync(TABLE_FILE, 'utf8')) as Table;
const names = Object.keys(table);

const isLong = process.env['PAYSESSION_TEST_RUNS'] !== undefined;

/**
 * A beginning is the first part of a recorded history, as a worker replays it in the middle of a session. Replaying all beginnings takes
 * minutes of computing. So each run replays every 32nd beginning of each history. The seed chooses which ones, and 32 consecutive seeds
 * cover all. `npm run test:long` replays all beginnings in one run. Continuous integration replays every twelfth.
 */
const STRIDE = isLong ? Number(process.env['PAYSESSION_TEST_STRIDE'] ?? 1) : 32;
/** The corpus has about 4,200 beginnings. The replay of one takes 50 ms on an idle machine. */
const BEGINNINGS_MS = 300_000 + (4_200 / STRIDE) * 500;
const offset = ((testSeed() % STRIDE) + STRIDE) % STRIDE;

const histories: RecordedHistory[] = [];
let observed: ReadonlyMap<string, Observed>;

beforeAll(async () => {
  for await (const recorded of readHistories([HISTORIES])) histories.push(recorded);
  observed = await observeReplays(await bundleObserved(), histories);
});

describe('the corpus of recorded histories', () => {
  test('contains recordings of every scene, and nothing else', () => {
    const rows = Object.entries(SCENES).flatMap(([name, scene]) => {
      const endings = [...(scene.before ?? []), scene.expected];
      const { tells } = scene;
      return runNames(name, endings.length).map((run, index) => [
        run,
        { tells, temporal: temporalOf(scene), events: expect.any(Number), expected: endings[index] },
      ]);
    });
    expect(table).toEqual(Object.fromEntries(rows));
    expect(histories.map(({ name }) => name).sort()).toEqual(names.toSorted());
    expect(names.length).toBeGreaterThanOrEqual(100);
  });

  test('is smaller than 4 MB, and contains no host name, path or stack trace', () => {
    const files = readdirSync(HISTORIES).map((name) => join(HISTORIES, name));
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThan(4_000_000);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      for (const name of [`@${hostname()}`, `-${hostname()}-`]) expect(text).not.toContain(name);
      expect(text).not.toMatch(/node_modules|\/(tmp|home|root|Users)\/|"stackTrace":"[^"]|127\.0\.0\.1/);
    }
  });
});

describe('each recorded session replays on the current code to its recorded end', () => {
  test.each(names)('%s', (name) => {
    const { endings = [], divergence } = observed.get(name) ?? {};
    expect(divergence).toBeUndefined();
    expect(endings.at(-1)).toEqual(table[name]?.expected);
  });

  test('and keeps every earlier state in its later states', () => {
    for (const [name, { endings }] of observed) {
      for (const [index, { states }] of endings.entries()) {
        const before = endings[index - 1]?.states ?? [];
        expect([name, states.slice(0, before.length)]).toEqual([name, before]);
      }
    }
  });
});

/**
 * A history with more beginnings than this repeats itself, and only `OF_LONG` of them are replayed. Replaying all of them would take as
 * long as all other histories together.
 */
const LONG = 250;
const OF_LONG = 24;

function beginnings(history: RecordedHistory['history']): readonly RecordedHistory['history'][] {
  const all = prefixes(history);
  const step = all.length > LONG ? Math.ceil(all.length / OF_LONG) : 1;
  return all.filter((_, index) => (index + 1) % step === 0 || index === all.length - 1);
}

test(
  'a sample of the beginnings of each recorded history replays on the current code',
  async () => {
    const cuts = histories.flatMap(({ name, history }) =>
      beginnings(history)
        .map((cut) => ({ name: `the first ${cut.events?.length ?? 0} of ${name}`, history: cut }))
        .filter((_, index) => index % STRIDE === offset),
    );
    process.stderr.write(`${cuts.length} beginnings of ${histories.length} histories\n`);
    expect(cuts.length).toBeGreaterThan(1_000 / STRIDE);
    const { replayed, divergences } = await replayHistories(cuts, {
      bundlePath: testBundle(),
    });
    expect({ replayed, divergences }).toEqual({ replayed: cuts.length, divergences: [] });
  },
  BEGINNINGS_MS,
);
