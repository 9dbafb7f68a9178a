import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ConsoleOptions } from '../../../console/options';
import { park } from '../../support/park';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import { useSandbox } from '../../support/worlds/sandbox';
import { use } from '../../support/worlds/use';
import { useWorld } from '../../support/worlds/use-world';
import { buildConsole } from '../../../console/serve-console';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** An account that only these tests use. Calls of the accounts of other tests may be failing at the same time. */
const ACCOUNT = `shop-${randomUUID().slice(0, 8)}`;
const service = useSandbox();
const world = useWorld(() => {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return { otherAccounts: { [ACCOUNT]: { baseUrl: service.url, clientId, clientSecret } } };
});
const options = (): ConsoleOptions => ({
  client: world.client,
  sessions: world.sessions,
  taskQueue: world.taskQueue,
  access: { kind: 'local', operator: { name: 'Sam', role: 'viewer' } },
});
const app = use(
  () => Promise.resolve(buildConsole(options())),
  (built) => built.close(),
);

const look = async (url: string, language = 'en') => {
  const { statusCode, body } = await app.inject({
    url,
    headers: { 'accept-language': language, host: '127.0.0.1' },
  });
  return { status: statusCode, body };
};
/** Returns the link to a session as a page contains it, with escaped apostrophes. */
const linkTo = (key: string) => `"/sessions/${encodeURIComponent(key).replaceAll("'", '&#39;')}"`;
const found = (url: string, ...keys: readonly string[]) =>
  until(
    () => look(url),
    ({ body }) => keys.every((key) => body.includes(linkTo(key))),
  );

describe('the list of sessions', () => {
  test('shows exactly the sessions that match a filter or a search', async () => {
    const referenceId = `list-${randomUUID().slice(0, 8)}`;
    const { session: open, sessionId } = await world.sessions.open(world.input(eft(referenceId)));
    const { session: parked } = await park(world, eft(referenceId));
    await found(`/sessions?q=${referenceId}`, open.key, parked.key);
    const { body } = await found('/sessions?phase=parked&account=default', parked.key);
    expect(body).not.toContain(open.key);
    expect(body).toContain('Waiting for a decision');
    await found(`/sessions?q=${sessionId}`, open.key);
    await found(`/sessions?q=${encodeURIComponent(open.key.slice(0, 20))}`, open.key);
    await parked.resolveCreate({ abandon: true });
    await open.cancelAndWait();
  });

  test('shows the number of sessions for each value of a filter, as the Temporal server counts them', async () => {
    const { session } = await world.sessions.open(world.input(eft()));
    await until(
      () => look('/sessions'),
      ({ body }) => /<option value="open"\s*>Open \(\d/.test(body),
    );
    await session.cancelAndWait();
  });

  test('is in French for readers of French', async () => {
    const { body } = await look('/sessions', 'fr-CA');
    expect(body).toContain('Trouver une session');
    expect(body).toContain('lang="fr"');
  });

  test('shows an error message if the filter is invalid', async () => {
    const { status, body } = await look('/sessions?phase=%3Cscript%3E&after=yesterday');
    expect(status).toBe(400);
    expect(body).toContain('Phase: “&#60;script&#62;” is not a known value.');
    expect(body).toContain('Started after (UTC): “yesterday” is not a known value.');
    expect(body).not.toContain('<script>');
    const french = await look('/sessions?phase=inconnue', 'fr');
    expect(french.body).toMatch(/Phase\u00a0: «\u00a0inconnue\u00a0» est inconnu\./);
  });

  test.each([
    '2026-02-30T10:00',
    '2026-13-01',
    '2026-01-01T24:30',
    '0001-01-01T00:00',
    '2200-01-01T00:00',
    '9999-12-31T23:59',
    '+275760-09-13T00:00',
    '-000001-01-01T00:00',
    '1',
    'May 6 2026',
  ])('says that "%s" is not a valid time', async (time) => {
    const typed = encodeURIComponent(time);
    const { status, body } = await look(`/sessions?after=${typed}&before=${typed}`);
    expect(status).toBe(400);
    expect(body).toContain(`Started after (UTC): “${time}” is not a known value.`);
    expect(body).toContain('Started before (UTC):');
    expect(body).not.toMatch(/INVALID_ARGUMENT|TEMPORAL_REFUSED/);
  });

  test('accepts times as browsers send them, and in UTC', async () => {
    for (const time of [
      '2026-05-06T14:00',
      '2026-05-06T14:00:30',
      '2026-05-06T14:00:30.123',
      '2026-05-06',
      '2024-02-29T00:00Z',
    ])
      expect((await look(`/sessions?after=${encodeURIComponent(time)}`)).status).toBe(200);
  });

  test('is shown even if the URL of a later page contains an impossible time', async () => {
    expect((await look('/sessions?page=999999999999999.key')).status).toBe(200);
  });

  test('finds nothing for an apostrophe, and names the characters for which it cannot search', async () => {
    const { session } = await world.sessions.open(world.input(eft()));
    await found(`/sessions?q=${encodeURIComponent(session.key)}`, session.key);
    const { body } = await look(`/sessions?q=${encodeURIComponent("'")}`);
    expect(body).not.toContain(linkTo(session.key));
    expect(body).toContain('finds no reference that begins with a quotation mark, an apostrophe');
    const filtered = await look(`/sessions?account=${encodeURIComponent("'default'")}`);
    expect(filtered.status).toBe(400);
    await session.cancelAndWait();
  });

  test('shows script code in a key as text', async () => {
    const mark = randomUUID().slice(0, 8);
    const key = `"><script>alert('${mark}')</script>/${'x'.repeat(140)}`;
    const session = await world.sessions.start({ ...world.input(eft()), key });
    const { body } = await found(`/sessions?q=${encodeURIComponent(key)}`, key);
    expect(body).not.toContain('<script>alert');
    expect(body).toContain('&#60;script&#62;alert');
    await session.cancelAndWait();
  });

  test('shows a message if a search finds nothing, or if no session matches a filter', async () => {
    expect((await look(`/sessions?q=${randomUUID()}`)).body).toContain('Nothing found');
    const { body } = await look(`/sessions?q=${encodeURIComponent(`"${randomUUID()}"`)}`);
    expect(body).toContain('finds no reference that begins with a quotation mark');
    // The random name makes sure that no session of another test has this account.
    expect((await look(`/sessions?account=${randomUUID()}`)).body).toContain('No session matches');
  });
});

describe('the overview', () => {
  test('shows parked sessions first, and what to do about them', async () => {
    const { session } = await park(world);
    const { body } = await found('/', session.key);
    expect(body.indexOf('Waiting for a decision')).toBeLessThan(body.indexOf('Accounts in trouble'));
    expect(body).toContain('open it here and decide');
    await session.resolveCreate({ abandon: true });
  });

  test('names an account as long as its calls keep failing', async () => {
    const { session } = await world.sessions.open({ ...world.input(eft()), account: ACCOUNT });
    const link = `problem=serviceFailing&#38;account=${ACCOUNT}`;
    service.failNext('details', { kind: 'status', status: 500 }, 100);
    await until(
      () => look('/'),
      ({ body }) => body.includes(link),
    );
    service.clearFaults();
    await session.refresh();
    await until(
      () => look('/', 'fr'),
      ({ body }) => body.includes('Comptes en difficulté') && !body.includes(link),
    );
    await session.cancelAndWait();
  });
});
