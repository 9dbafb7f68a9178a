import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { WORKFLOW_ID_PREFIX, WORKFLOW_TYPE } from '../../../src/protocol/names';
import { keyword } from '../../../src/protocol/temporal/visibility';
import type { SessionFilter, SessionSummary } from '../../../src/sessions';
import { sessionsPage, type PageStart } from '../../../src/sessions/list/list-sessions';
import { searchSessions } from '../../../src/sessions/list/search';
import { geft } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';

const world = useWorld();
const mark = () => randomUUID().slice(0, 8);

/** Starts many workflows at once that look like sessions in Temporal’s index. No worker runs them. Returns a function that ends them. */
async function started(referenceId: string, count: number) {
  const handles = await Promise.all(
    Array.from({ length: count }, () =>
      world.client.workflow.start(WORKFLOW_TYPE, {
        workflowId: `${WORKFLOW_ID_PREFIX}${randomUUID()}`,
        taskQueue: 'nobody-polls',
        typedSearchAttributes: [keyword(SEARCH_ATTRIBUTES.reference, referenceId)],
      }),
    ),
  );
  return () => Promise.all(handles.map((handle) => handle.terminate()));
}

async function paged(filter: SessionFilter, size: number): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let after: PageStart | undefined;
  do {
    const page = await sessionsPage(world.client, filter, { size, after });
    expect(page.sessions.length).toBeLessThanOrEqual(size);
    found.push(...page.sessions);
    after = page.next;
  } while (after !== undefined);
  return found;
}

const keysOf = (sessions: readonly SessionSummary[]) => sessions.map(({ key }) => key);

/** Returns the number of neighbours in the list that were started in the same millisecond. */
const sameStarts = (sessions: readonly SessionSummary[]) =>
  sessions.filter(({ startedAt }, at) => sessions[at + 1]?.startedAt.getTime() === startedAt.getTime())
    .length;

describe('pages of sessions', () => {
  test('contain each session exactly once, newest first, also if a page ends between two sessions of the same millisecond', async () => {
    const referenceId = `page-${mark()}`;
    const ends: (() => Promise<unknown>)[] = [];
    let all: readonly SessionSummary[] = [];
    do {
      ends.push(await started(referenceId, 10));
      all = await until(
        () => paged({ referenceId }, 100),
        (found) => found.length === ends.length * 10,
      );
    } while (sameStarts(all) === 0);
    // Here, each page has one session. So pages end between all sessions of the same millisecond.
    const ones = await paged({ referenceId }, 1);
    expect(keysOf(ones)).toEqual(keysOf(all));
    expect(keysOf(await paged({ referenceId }, 3))).toEqual(keysOf(all));
    const times = ones.map(({ startedAt }) => startedAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => b - a));
    await Promise.all(ends.map((end) => end()));
    const ended = await until(
      () => paged({ referenceId, running: false }, 4),
      (found) => found.length === all.length,
    );
    expect(keysOf(ended)).toEqual(keysOf(all));
    expect(await paged({ referenceId, running: true }, 4)).toEqual([]);
  });
});

describe('a search for sessions', () => {
  const found = (text: string, key: string) =>
    until(
      () => searchSessions(world.client, text),
      (sessions) => keysOf(sessions).includes(key),
    );

  test('finds a session by its complete id at the payment service, in upper or lower case', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(geft()));
    await found(sessionId, session.key);
    expect(keysOf(await searchSessions(world.client, sessionId.toUpperCase()))).toEqual([session.key]);
    expect(await searchSessions(world.client, randomUUID())).toEqual([]);
    await session.cancelAndWait();
  });

  test.each([
    ['accents, other scripts and signs', (unique: string) => `réf ☃ 注文 🧾 ${unique}`],
    ['an apostrophe', (unique: string) => `O'Brien's ${unique}`],
    ['signs of a pattern', (unique: string) => `100%_!*? ${unique}`],
    ['words of a query', (unique: string) => `${unique} AND (x = 1) --`],
  ])('finds a reference with %s, by the whole reference or by its beginning', async (_, write) => {
    const reference = write(mark());
    const { session } = await world.sessions.open(world.input(geft(reference)));
    await found(reference, session.key);
    expect(keysOf(await searchSessions(world.client, reference.slice(0, -1)))).toContain(session.key);
    await session.cancelAndWait();
  });

  test.each([
    ['a quotation mark', '"quoted"'],
    ['a backslash', 'C:\\orders'],
    ['an apostrophe at its end', "Brien'"],
  ])('finds a reference with %s, for which Temporal’s index in SQL cannot search', async (_, odd) => {
    const beginning = mark();
    const reference = `${beginning} ${odd}`;
    const { session } = await world.sessions.open(world.input(geft(reference)));
    await found(reference, session.key);
    await found(reference.slice(0, -1), session.key);
    expect(await searchSessions(world.client, `${reference}!`)).toEqual([]);
    await session.cancelAndWait();
  });

  test.each(["'", "''", "'x", '"', '\\'])(
    'for the odd text %s does not find a session whose reference does not begin with that text',
    async (odd) => {
      const reference = `x${mark()}`;
      const { session } = await world.sessions.open(world.input(geft(reference)));
      await found(reference, session.key);
      expect(keysOf(await searchSessions(world.client, odd))).not.toContain(session.key);
      expect(await searchSessions(world.client, `${odd}${reference}`)).toEqual([]);
      await session.cancelAndWait();
    },
  );

  test('finds a session by its key, and returns the amount and the direction of its request', async () => {
    const session = await world.sessions.start(world.input({ ...geft(), amount: 31 }));
    expect(await searchSessions(world.client, session.key)).toMatchObject([
      { key: session.key, amount: 31, direction: 'DEBIT' },
    ]);
    await session.cancelAndWait();
  });

  test('finds a key with quotation marks and backslashes', async () => {
    const key = `"${mark()}" \\ 'x'`;
    const session = await world.sessions.start({ ...world.input(geft()), key });
    await found(key, key);
    await session.cancelAndWait();
  });
});
