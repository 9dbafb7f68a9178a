import type { FastifyInstance } from 'fastify';
import type { ConsoleLedger, ConsoleOptions } from '../../../console/options';
import type { Reader } from '../../../console/access/reader';
import type { SessionView } from '../../../console/session/view';
import type { SessionRequest } from '../../../src/contract';
import type { Metadata } from '../../../src/protocol/metadata';
import type { SessionState } from '../../../src/protocol/state/session';
import type { World } from '../worlds/world';
import { buildConsole } from '../../../console/serve-console';

export const OPERATOR: Reader = {
  operator: { name: 'Robin', role: 'operator' },
  language: 'EN',
  csrfToken: 'token',
} as Reader;

export const VIEWER: Reader = { ...OPERATOR, operator: { name: 'Vic', role: 'viewer' } };

/** The deliveries of a ledger without endpoints. */
export const NO_WEBHOOKS: ConsoleLedger['webhookDeliveries'] = {
  of: () => Promise.resolve({ deliveries: [], waiting: [], hasMore: false }),
};

/** Options that are enough to render a page. */
export const PAGE_OPTIONS = {
  uiUrl: 'http://127.0.0.1:8233',
  client: { options: { namespace: 'default' } },
} as unknown as ConsoleOptions;

const STATE: SessionState = {
  phase: 'open',
  revision: 3,
  key: 'order-1',
  kind: 'EFT',
  referenceId: 'ORDER-1',
  paid: false,
  status: 'Initiated',
  code: 'EFT0101',
  sessionId: '11111111-2222-4333-8444-555555555555',
  checkoutUrl: 'https://pay.example/app/?sessionId=1',
  amount: 25,
  anomalies: [],
  decisions: [],
};

/** The session’s key, and its values in Temporal’s index: the reference (`null` if there is none) and the searchable metadata. */
interface ShownAs {
  readonly key?: string;
  readonly referenceId?: string | null;
  readonly metadata?: Metadata;
}

/** Returns the view of a session that has been open since noon. `changes` replaces parts of its state. */
export function viewOf(
  request: unknown,
  changed: Partial<SessionState> = {},
  { key = 'order-1', referenceId = 'ORDER-1', metadata }: ShownAs = {},
): SessionView {
  return {
    key,
    workflowId: `payment-session/${key}`,
    runId: 'run-1',
    firstRunId: 'run-1',
    summary: {
      key,
      runId: 'run-1',
      running: true,
      paid: false,
      problems: [],
      startedAt: new Date('2031-05-06T12:00:00.000Z'),
      kind: 'EFT',
      phase: 'open',
      ...(referenceId !== null && { referenceId }),
      ...(metadata && { metadata }),
    },
    known: {
      state: { ...STATE, key, ...changed },
      stateHistory: [
        { status: 'Initiated', code: 'EFT0101', firstSeenAt: '2031-05-06T12:00:01.000Z', source: 'create' },
      ],
    },
    stored: { input: { key, request: request as SessionRequest } },
  };
}

/** Starts a console of a world, and returns it with the lines of its log. */
export function consoleOf(
  world: Pick<World, 'client' | 'sessions' | 'taskQueue'> & Pick<ConsoleOptions, 'ledger' | 'timeZone'>,
  role: 'operator' | 'viewer' = 'operator',
): { readonly app: FastifyInstance; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const app = buildConsole({
    client: world.client,
    sessions: world.sessions,
    ledger: world.ledger,
    ...(world.timeZone !== undefined && { timeZone: world.timeZone }),
    taskQueue: world.taskQueue,
    access: { kind: 'local', operator: { name: 'Robin', role } },
    uiUrl: 'http://127.0.0.1:8233',
    log: (line) => lines.push(line),
  });
  return { app, lines };
}

/** Returns a page's text, without its markup. */
export const plain = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the path of a session's page, or of a page below it. */
export const pathOf = (key: string, below = ''): string => `/sessions/${encodeURIComponent(key)}${below}`;

/** Requests a page, and returns the answer, also as text without markup. */
export async function look(app: FastifyInstance, path: string, language: 'en' | 'fr' = 'en') {
  const { statusCode, body, headers } = await app.inject({
    url: path,
    headers: { 'accept-language': language, accept: 'text/html' },
  });
  return { statusCode, body, headers, text: plain(body) };
}

/** Requests a page, and returns the hidden fields of its form. */
export async function formAt(app: FastifyInstance, path: string): Promise<Record<string, string>> {
  return hiddenIn((await look(app, path)).body);
}

/** Returns the hidden fields of a page's form. */
export function hiddenIn(body: string): Record<string, string> {
  const fields = body.matchAll(
    /<input type="hidden" name="(csrf|once|named|park|sessionId)" value="([^"]*)"/g,
  );
  // The header has a form for logging out. The fields of the page’s own form come later, and replace fields of the same names.
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

/** Sends a form. */
export async function send(app: FastifyInstance, path: string, fields: Readonly<Record<string, string>>) {
  const { statusCode, body, headers } = await app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
  return { statusCode, body, location: headers.location, text: plain(body) };
}

/** Fills in the form of an action's page, sends it, and follows the redirect. */
export async function act(
  app: FastifyInstance,
  path: string,
  fields: Readonly<Record<string, string>>,
  language: 'en' | 'fr' = 'en',
) {
  const sent = await send(app, path, { ...(await formAt(app, path)), ...fields });
  if (sent.location === undefined) throw new Error(`it led nowhere: ${sent.statusCode} ${sent.text}`);
  return look(app, sent.location, language);
}
