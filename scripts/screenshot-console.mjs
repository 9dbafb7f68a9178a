/**
 * Takes the pictures of the console and of the sandbox's own pages for the documents. It uses the built code: run `npm run build`, and then
 * `node scripts/screenshot-console.mjs`. Needs Chromium or Chrome on PATH. Takes two minutes.
 */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyFolder, shoot, startBrowser, PAYOR } from './screenshot-browser.mjs';
import { startLedger } from './screenshot-ledger.mjs';

const load = createRequire(import.meta.url);
const { DefaultLogger, NativeConnection, Runtime } = load('@temporalio/worker');
const { Client } = load('@temporalio/client');
const { createSandbox } = load('../dist/sandbox/index.js');
const { DEFAULT_CLIENT } = load('../dist/sandbox/default-client.js');
const { createWorker } = load('../dist/worker/index.js');
const { resolveTemporalServer, startTemporalServer } = load('../dist/src/temporal-server/index.js');
const { PaymentSessions } = load('../dist/src/sessions/index.js');
const { SEARCH_ATTRIBUTES, DEFAULT_TASK_QUEUE } = load('../dist/src/protocol/names.js');
const { serveConsole } = load('../dist/console/serve-console.js');

/** @typedef {Pick<import('playwright-core').BrowserContextOptions, 'viewport' | 'colorScheme'>} Look */

/** @type {Look} */
const WIDE = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' };
/** @type {Look} */
const DARK = { ...WIDE, colorScheme: 'dark' };
/** The reader's time zone. Pages show each time both in UTC and in this zone. */
const TIME_ZONE = 'America/Toronto';

const sessionPath = ({ key }) => `/sessions/${encodeURIComponent(key)}`;

async function main() {
  const [ofConsole, ofSandbox] = [await emptyFolder('console'), await emptyFolder('sandbox')];
  const scene = await setScene();
  const browser = await startBrowser();
  const { consoleUrl, sandboxUrl } = scene;

  /**
   * Takes a picture of a page, after `act`.
   *
   * @param {string} folder
   * @param {string} name
   * @param {string} url
   * @param {{ look?: Look, language?: string, act?: (page: import('playwright-core').Page) => Promise<unknown>,
   * fullPage?: boolean }} [options]
   */
  const take = async (folder, name, url, { look = WIDE, language = 'en', act, fullPage } = {}) => {
    const context = await browser.newContext({ ...look, locale: `${language}-CA`, timezoneId: TIME_ZONE });
    try {
      const page = await context.newPage();
      await page.goto(url);
      await act?.(page);
      await shoot(page, folder, name, { fullPage });
    } finally {
      await context.close();
    }
  };
  const takeConsole = (name, path, options) => take(ofConsole, name, consoleUrl + path, options);

  try {
    const { parked, found, resolved } = await playDay(scene);
    await takeConsole('overview', '/', { act: counted });
    await takeConsole('overview-money', '/', { act: counted, look: DARK, language: 'fr' });
    await takeConsole('sessions', '/sessions', { act: matched, fullPage: false });
    await takeConsole('payments', '/payments?money=returned&sort=-amount', { fullPage: false });
    await takeConsole('session-parked', sessionPath(parked));
    await takeConsole('session-decided', sessionPath(resolved), { look: DARK });
    await takeConsole('adopt', `${sessionPath(found)}/adopt`, { act: adopting(found) });

    const sessionOf = scene.sandbox.calls.findLast(({ route }) => route === 'create').sessionId;
    await take(ofSandbox, 'overview', sandboxUrl, { fullPage: false });
    await take(ofSandbox, 'session', `${sandboxUrl}/sessions/${sessionOf}`, { fullPage: false });
    await take(ofSandbox, 'outbox', `${sandboxUrl}/outbox`, { fullPage: false });
  } finally {
    await browser.close();
    await scene.stop();
  }
}

/** Waits for the counts, which are loaded later. */
const counted = (page) =>
  page.waitForFunction(() => !/Still counting|Décompte en cours/.test(globalThis.document.body.textContent));

/** Waits for the number of matching sessions, which is also loaded later. */
const matched = (page) => page.getByText(/^\d+ sessions (match|correspondent)$/).waitFor();

/** Enters a session's id, so that the page compares the session with the request. */
const adopting =
  ({ sessionId }) =>
  async (page) => {
    await page.fill('[name=sessionId]', sessionId);
    await Promise.all([page.waitForNavigation(), page.click('main form button')]);
  };

// A shop on an ordinary day, for the pictures of the console. Its goods and people are made up.

const OPERATOR = 'robin';
/** An account whose payment service is unavailable. */
const TROUBLED = 'harbour-travel';
/** An account that may not create regular EFTs. */
const LIMITED = 'cedar-books';

const BASE = { direction: 'DEBIT', payor: PAYOR };
const eft = (referenceId, amount) => ({
  ...BASE,
  type: 'EFT',
  amount,
  referenceId,
  options: { guarantee: { enable: false } },
});
const geft = (referenceId, amount) => ({
  ...eft(referenceId, amount),
  options: { guarantee: { enable: true } },
  accountLabel: 'Maple Shop',
  payee: { account: { accountNumber: '0001234567', transitNumber: '00011', institutionCode: '002' } },
});
const eTransfer = (referenceId, amount, language = 'EN') => ({
  ...eft(referenceId, amount),
  type: 'e-Transfer',
  options: {
    guarantee: { enable: false },
    notificationPreferences: { language, sendNetworkLink: true },
  },
});

/** Sessions that are never refreshed, so that the worker's own polls see their ends. */
const POLLED = [
  ['order-2028', eft('INV-88028', 64.5)],
  ['order-2029', geft('INV-88029', 180)],
  ['order-2030', eft('INV-88030', 33)],
];

/**
 * Sessions, oldest first. The payor or the passing of time brings each into a state, and then the session is refreshed.
 *
 * @type {readonly (readonly [key: string, request: object, event: string | undefined])[]}
 */
const ORDINARY = [
  ['order-2031', geft('INV-88031', 349), 'completed'],
  ['order-2032', eft('INV-88032', 25.5), 'completed'],
  ['order-2033', eTransfer('INV-88033', 60), 'completed'],
  ['order-2034', eft('INV-88034', 1249.99), 'insufficientFunds'],
  ['order-2035', geft('INV-88035', 89), 'completed'],
  ['order-2036', eft('INV-88036', 42), 'expired'],
  ['order-2037', eft('INV-88037', 700), 'loginFailed'],
  ['order-2038', geft('INV-88038', 119.9), 'completed'],
  ['order-2039', eTransfer('INV-88039', 15, 'FR'), 'completed'],
  ['order-2040', eft('INV-88040', 210), 'completed'],
  ['order-2041', eft('INV-88041', 75), 'bankValidated'],
  ['order-2042', geft('INV-88042', 530), undefined],
  ['order-2043', eft('INV-88043', 18.25), 'payorStarted'],
  ['rent/2031-05/building-14/unit-1207/second-payment-of-two', eft('RENT-1207-MAY', 980), undefined],
];

const ENDS = ['completed', 'insufficientFunds', 'expired', 'loginFailed'];

/** Starts a Temporal server, a ledger, sandboxes, a worker and a console, without any sessions. */
async function setScene() {
  // The worker's log shows errors only, because the worker would warn of everything that this script stages.
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
  const stops = [];
  const { executable } = await resolveTemporalServer();
  const sandbox = createSandbox({ clients: [{ ...DEFAULT_CLIENT, displayName: 'Maple Shop' }] });
  const { url: baseUrl } = await sandbox.listen();
  stops.push(() => sandbox.close());
  const other = createSandbox({
    clients: [
      { ...DEFAULT_CLIENT, clientId: TROUBLED },
      { ...DEFAULT_CLIENT, clientId: LIMITED, features: [] },
    ],
  });
  const { url: otherUrl } = await other.listen();
  stops.push(() => other.close());

  const temporal = await startTemporalServer({
    executable,
    uiPort: 0,
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  stops.push(() => temporal.stop());
  const { ledger, stop: stopLedger } = await startLedger();
  stops.push(stopLedger);
  const connection = await NativeConnection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const worker = await createWorker({
    connection,
    ledger,
    accounts: {
      default: { baseUrl, clientId, clientSecret },
      [TROUBLED]: { baseUrl: otherUrl, clientId: TROUBLED, clientSecret },
      [LIMITED]: { baseUrl: otherUrl, clientId: LIMITED, clientSecret },
    },
  });
  const running = worker.run();
  stops.push(() => {
    worker.shutdown();
    return running;
  });

  const client = new Client({ connection });
  const sessions = new PaymentSessions(client);
  const { url: consoleUrl, close } = await serveConsole({
    client,
    sessions,
    ledger,
    taskQueue: DEFAULT_TASK_QUEUE,
    access: { kind: 'local', operator: { name: OPERATOR, role: 'operator' } },
    uiUrl: temporal.uiUrl,
    timeZone: TIME_ZONE,
    host: '127.0.0.1',
    port: 0,
  });
  stops.push(close);
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  return { sandbox, other, sessions, consoleUrl, sandboxUrl: baseUrl, stop };
}

/** Plays the shop's day. Returns the sessions of which there are separate pictures. */
async function playDay({ sandbox, other, sessions }) {
  // The console warns of failing calls only after five failures. So these sessions begin first.
  await failing(other, sessions);
  await Promise.all(
    POLLED.map(([key, request]) => completesBetweenPolls(sandbox, sessions, { key, request })),
  );
  for (const [key, request, event] of ORDINARY) await play(sandbox, sessions, { key, request, event });
  await rejected(sessions);
  await cancelled(sessions);
  const parked = await lost(sandbox, sessions, ['order-2045', geft('INV-88045', 400)]);
  const found = await lost(sandbox, sessions, ['order-2046', eft('INV-88046', 64)]);
  const resolved = await decided(sandbox, sessions);
  await orphan(sandbox, sessions);
  await until(sessions, { account: TROUBLED, problem: 'serviceFailing' }, 2);
  await until(
    sessions,
    { running: false },
    ORDINARY.filter(([, , event]) => event !== undefined && ENDS.includes(event)).length + POLLED.length + 3,
  );
  return { parked, found, resolved };
}

async function play(sandbox, sessions, { key, request, event }) {
  const session = await sessions.start({ key, request });
  const { sessionId } = await session.opened();
  if (event === undefined) return;
  sandbox.act(sessionId, event);
  await session.refresh();
}

/** Lets the payor complete just after a poll. The next poll sees the end, and the console shows the delay. */
async function completesBetweenPolls(sandbox, sessions, { key, request }) {
  const session = await sessions.start({ key, request });
  const { sessionId } = await session.opened();
  const isPoll = (call) => call.route === 'details' && call.sessionId === sessionId;
  for (let looks = 0; !sandbox.calls.some(isPoll); looks += 1) {
    if (looks === 300) throw new Error(`${key} was not polled within 30 s.`);
    await sleep(100);
  }
  sandbox.act(sessionId, 'completed');
  await session.result();
}

/** Starts a session whose create request the payment service refuses. So the session never exists there. */
async function rejected(sessions) {
  const session = await sessions.start({
    key: 'book-club-17',
    account: LIMITED,
    request: eft('CLUB-17', 30),
  });
  await session.result().catch(() => undefined);
}

async function cancelled(sessions) {
  const session = await sessions.start({ key: 'order-2044', request: eft('INV-88044', 310) });
  await session.opened();
  await session.cancelAndWait({ by: OPERATOR, reason: 'The customer ordered twice' });
}

/** Opens sessions whose payment service returns errors from now on. */
async function failing(other, sessions) {
  for (const key of ['trip-501', 'trip-502']) {
    const session = await sessions.start({ key, account: TROUBLED, request: geft(key.toUpperCase(), 820) });
    await session.opened();
  }
  other.failNext('details', { kind: 'status', status: 503 }, 1_000);
}

/**
 * Loses the answer to a session's create request, so that the session waits for an operator's decision. Returns the key, and the id of the
 * session that the request has made.
 */
async function lost(sandbox, sessions, [key, request]) {
  sandbox.failNext('create', { kind: 'reset', phase: 'after' });
  const session = await sessions.start({ key, request, policy: { onUnknownCreate: 'park' } });
  for await (const { phase } of session.changes()) if (phase === 'parked') break;
  return { key, sessionId: sandbox.calls.findLast(({ route }) => route === 'create').sessionId };
}

/** Parks a session. An operator first tries to adopt a wrong session, and then adopts the right one, which is paid. */
async function decided(sandbox, sessions) {
  const { key, sessionId } = await lost(sandbox, sessions, ['order-2047', eft('INV-88047', 128.4)]);
  const session = sessions.get(key);
  const wrong = sandbox.calls.find(({ route }) => route === 'create').sessionId;
  const by = { by: OPERATOR };
  await session.resolveCreate({ sessionId: wrong }, { ...by, reason: 'Same customer, same morning' });
  await session.resolveCreate({ sessionId }, { ...by, reason: 'Found by its reference, amount and time' });
  await session.refresh({ ...by, reason: 'The payor says that they have paid' });
  sandbox.act(sessionId, 'completed');
  await session.refresh();
  return { key, sessionId };
}

/** Starts a session whose create request is sent twice, so that two sessions may exist at the service. */
async function orphan(sandbox, sessions) {
  sandbox.failNext('create', { kind: 'reset', phase: 'after' });
  const session = await sessions.start({
    key: 'order-2048',
    request: eft('INV-88048', 55),
    policy: { onUnknownCreate: 'retry' },
  });
  await session.opened();
}

/**
 * Waits until the filter finds `count` sessions. This takes a while, because Temporal's index is updated late, and some problems appear
 * only after five failed calls.
 */
async function until(sessions, filter, count) {
  for (let tries = 0; tries < 120; tries += 1) {
    let found = 0;
    for await (const summary of sessions.list(filter)) found += summary.key === '' ? 0 : 1;
    if (found >= count) return;
    await sleep(1_000);
  }
  throw new Error(`There are not ${count} sessions with ${JSON.stringify(filter)}.`);
}

await main();
