import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useSandbox } from '../../support/worlds/sandbox';
import { payorOf } from '../../support/worlds/world';
import { useWorld } from '../../support/worlds/use-world';
import { consoleOf, hiddenIn, look, plain } from '../../support/console/session-page';
import { PaysessionError } from '../../../src/errors';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** An account that only these tests use, so that a bulk action here changes no session of other tests. */
const ACCOUNT = `bulk-${randomUUID().slice(0, 8)}`;
const service = useSandbox({ paceMs: 50 });
const world = useWorld(() => {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return { otherAccounts: { [ACCOUNT]: { baseUrl: service.url, clientId, clientSecret } } };
});

const FILTER = `account=${ACCOUNT}`;

const openOne = () => world.sessions.open({ ...world.input(leftOpen()), account: ACCOUNT });

/** Starts a session whose create request is lost, so that the session waits for an operator’s decision. */
async function parkOne() {
  service.failNext('create', { kind: 'reset', phase: 'after' });
  const input = { ...world.input(leftOpen(), { onUnknownCreate: 'park' }), account: ACCOUNT };
  const session = await world.sessions.start(input);
  await stateOf(session, ({ phase }) => phase === 'parked');
  return session;
}

type App = ReturnType<typeof consoleOf>['app'];

const keysIn = (body: string) =>
  [...body.matchAll(/name="key" value="([^"]*)"/g)].map(([, key]) => key ?? '');

/** Returns the preview of an action: the page that names the sessions. Waits until Temporal’s index has the sessions with `keys`. */
const previewOf = (app: App, act: string, ...keys: readonly string[]) =>
  until(
    () => look(app, `/bulk/${act}?${FILTER}`),
    ({ body }) => keys.every((key) => keysIn(body).includes(key)),
  );

async function send(app: App, act: string, fields: readonly (readonly [string, string])[]) {
  const { statusCode, headers, body } = await app.inject({
    method: 'POST',
    url: `/bulk/${act}?${FILTER}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
  });
  return { statusCode, text: plain(body), location: headers.location ?? '' };
}

const formOf = (body: string, reason: string) => [
  ...Object.entries(hiddenIn(body)),
  ...keysIn(body).map((key) => ['key', key] as const),
  ['reason', reason] as const,
];

describe('an action on all sessions of a filtered list', () => {
  test('previews the sessions, changes only the previewed ones, and records the operator and the reason with each', async () => {
    const { app, lines } = consoleOf(world);
    const [first, second] = [await openOne(), await openOne()];
    const keys = [first.session.key, second.session.key];
    const list = await until(
      () => look(app, `/sessions?${FILTER}`),
      ({ body }) => keys.every((key) => body.includes(key)),
    );
    expect(list.body).toContain(`href="/bulk/cancel?${FILTER}"`);
    const { body, text } = await previewOf(app, 'cancel', ...keys);
    expect(text).toContain('The payor will no longer be able to pay.');
    expect(text).toContain('Cancel 2 sessions');
    // After the preview, a third session opens, and the payor of the second one pays.
    const { session: third } = await openOne();
    payorOf(service, second.sessionId).completes();
    expect(await second.session.result()).toMatchObject({ paid: true });
    const form = formOf(body, 'the shop was closed');
    const { statusCode, location } = await send(app, 'cancel', form);
    expect(statusCode).toBe(303);
    expect((await send(app, 'cancel', form)).location).toBe(location);
    const results = (await look(app, location)).text;
    expect(results).toContain(`${first.session.key} Cancel The payment service has cancelled the session.`);
    expect(results).toMatch(new RegExp(`${second.session.key} Cancel .*already`, 'i'));
    expect(results).not.toContain(third.key);
    const { status, decisions } = await first.session.state();
    expect(status).toBe('Cancelled');
    expect(decisions).toMatchObject([{ decision: 'cancel', by: 'Robin', reason: 'the shop was closed' }]);
    for (const key of keys) expect(lines.filter((line) => line.includes(`cancel ${key}`))).toHaveLength(1);
    expect((await third.state()).phase).toBe('open');
    await third.cancelAndWait();
  });

  test('skips sessions in a state to which the action does not apply', async () => {
    const { app } = consoleOf(world);
    const { session: open } = await openOne();
    const parked = await parkOne();
    const refresh = await previewOf(app, 'refresh', open.key);
    expect(keysIn(refresh.body)).toEqual([open.key]);
    expect(refresh.text).toContain('1 session of the list is left out');
    const { body } = await previewOf(app, 'abandon', parked.key);
    expect(keysIn(body)).toEqual([parked.key]);
    expect((await look(app, `/bulk/abandon?${FILTER}&phase=open`)).text).toContain('No session to change');
    const { location } = await send(app, 'abandon', formOf(body, 'the customer paid in the shop'));
    expect((await look(app, location)).text).toContain(`${parked.key} Abandon`);
    await expect(parked.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
    await open.cancelAndWait();
  });

  test('retries parked sessions, but skips a session that an answer has named and a session whose state is unknown', async () => {
    const { app } = consoleOf(world);
    const [lost, named, silent] = [await parkOne(), await parkOne(), await parkOne()];
    const states = {
      [named.key]: async () => {
        const state = await world.sessions.get(lost.key).state();
        return {
          ...state,
          parks: [{ at: '', code: 'SERVICE_WRONG_SESSION', id: '', sessionId: randomUUID() }],
        };
      },
      [silent.key]: () => Promise.reject(new PaysessionError('WORKER_UNAVAILABLE', 'no worker')),
    };
    await previewOf(app, 'abandon', lost.key, named.key, silent.key);
    const get = world.sessions.get.bind(world.sessions);
    jest.spyOn(world.sessions, 'get').mockImplementation((key) => {
      const state = states[key];
      return state === undefined ? get(key) : Object.assign(get(key), { state });
    });
    const { body, text } = await previewOf(app, 'retry', lost.key);
    jest.restoreAllMocks();
    expect(keysIn(body)).toEqual([lost.key]);
    expect(text).toContain('2 sessions are left out: the payment service has named the ones');
    expect(text).toContain('If the earlier request did open a session, there will be two');
    const { location } = await send(app, 'retry', formOf(body, 'the service was down'));
    expect((await look(app, location)).text).toContain(`${lost.key} Create again`);
    const { decisions } = await stateOf(lost, ({ phase }) => phase === 'open');
    expect(decisions).toMatchObject([{ decision: 'retry', by: 'Robin', reason: 'the service was down' }]);
    for (const { key } of [named, silent])
      await world.sessions.get(key).resolveCreate({ abandon: true }, { by: 'Robin', reason: 'test' });
    await lost.cancelAndWait();
  });

  test.each([
    ['retry', 'Create again'],
    ['abandon', 'Abandon'],
  ] as const)(
    'does not %s a session whose create request was sent again after the preview',
    async (act, name) => {
      const { app } = consoleOf(world);
      const session = await parkOne();
      const { body } = await previewOf(app, act, session.key);
      service.failNext('create', { kind: 'reset', phase: 'after' });
      await session.resolveCreate({ retry: true }, { by: 'Sam' });
      await stateOf(session, ({ parks }) => parks?.length === 2);
      const creates = () => service.calls.filter(({ route }) => route === 'create').length;
      const before = creates();
      const { location } = await send(app, act, formOf(body, 'the service was down'));
      expect((await look(app, location)).text).toContain(`${session.key} ${name} INVALID_INPUT`);
      expect([creates(), (await session.state()).decisions.length]).toEqual([before, 1]);
      await session.resolveCreate({ abandon: true });
    },
  );

  test('reports the result for every session, even if the action fails unexpectedly for one session', async () => {
    const { app, lines } = consoleOf(world);
    const [odd, usual] = [(await openOne()).session, (await openOne()).session];
    const { body } = await previewOf(app, 'cancel', odd.key, usual.key);
    const get = world.sessions.get.bind(world.sessions);
    const failing = () => Promise.reject(new TypeError('quotes what somebody has sent'));
    jest.spyOn(world.sessions, 'get').mockImplementation((key) => {
      const session = get(key);
      return key === odd.key ? Object.assign(session, { cancelAndWait: failing }) : session;
    });
    const { location } = await send(app, 'cancel', formOf(body, 'the shop was closed'));
    jest.restoreAllMocks();
    const { text } = await look(app, location);
    expect(text).toContain(`${odd.key} Cancel Something went wrong. See the console’s log`);
    expect(text).toContain(`${usual.key} Cancel The payment service has cancelled the session.`);
    expect(lines.filter((line) => line.includes(odd.key) && line.endsWith('failed: TypeError'))).toHaveLength(
      1,
    );
    await odd.cancelAndWait();
  });

  test('is refused without a reason, a filter, an operator or a preview, and for more than 50 sessions', async () => {
    const { app } = consoleOf(world);
    const { session } = await openOne();
    const { body } = await previewOf(app, 'refresh', session.key);
    const without = await send(app, 'refresh', formOf(body, ' '));
    expect([without.statusCode, without.text]).toEqual([400, expect.stringContaining('Give a reason')]);
    const many = Array.from({ length: 51 }, (_one, index) => ['key', `order-${index}`] as const);
    expect((await send(app, 'refresh', [...formOf(body, 'why'), ...many])).statusCode).toBe(400);
    for (const query of ['', '?phase=x', '?q=order'])
      expect((await look(app, `/bulk/refresh${query}`)).statusCode).toBe(400);
    const { session: other } = await openOne();
    const form = formOf(body, 'why');
    for (const fields of [
      [...form, ['key', other.key] as const],
      form.map(([name, value]) => [name, name === 'key' ? other.key : value] as const),
      form.filter(([name]) => name !== 'named'),
    ]) {
      const { statusCode, text } = await send(app, 'refresh', fields);
      expect([statusCode, text]).toEqual([
        400,
        expect.stringMatching(/page did not show you\. Nothing was done/),
      ]);
    }
    // Two forms are refused here: one belongs to another action, and one to another console.
    expect((await send(app, 'cancel', form)).statusCode).toBe(400);
    expect((await send(consoleOf(world).app, 'refresh', form)).statusCode).toBe(403);
    for (const one of [session, other]) expect((await one.state()).decisions).toEqual([]);
    await other.cancelAndWait();
    const viewer = consoleOf(world, 'viewer');
    expect((await look(viewer.app, `/bulk/refresh?${FILTER}`)).statusCode).toBe(403);
    expect((await look(viewer.app, `/sessions?${FILTER}`)).body).not.toContain('/bulk/');
    const gone = await look(app, `/bulk/results/${randomUUID()}`);
    expect(gone.text).toContain('This list is no longer available');
    await session.cancelAndWait();
  });
});
