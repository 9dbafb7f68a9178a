import { afterEach, expect } from '@jest/globals';
import { Agent, request } from 'undici';
import {
  createSandbox,
  manualClock,
  type ManualClock,
  type Sandbox,
  type SandboxClient,
  type SandboxOptions,
} from '../../../sandbox';
import * as requests from '../requests';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** A complete HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The JSON body, or an empty object if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Does not keep connections alive. Otherwise a simulated outage would leave half-closed connections for the next test. */
const agent = new Agent({ pipelining: 0 });

const running: Service[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.sandbox.close()));
});

export const basic = (clientId: string, clientSecret: string): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns a second client of the sandbox’s API: the default client with another id and secret, and with these changes. */
export function anotherClient(changes: Partial<SandboxClient> = {}): SandboxClient {
  return { ...DEFAULT_CLIENT, clientId: 'another-client', clientSecret: 'another-secret', ...changes };
}

/** Starts a sandbox whose clock the test controls. It closes after the test. */
export async function startService(options: SandboxOptions = {}): Promise<Service> {
  const clock = manualClock();
  const sandbox = createSandbox({ clock, ...options });
  const service = new Service(sandbox, clock);
  running.push(service);
  await sandbox.listen();
  return service;
}

/** Matches the error of a call that loses its connection before the answer. */
export const CUT_OFF = /ECONNRESET|other side closed/;

/** A sandbox, and methods that call its API over real HTTP. */
export class Service {
  constructor(
    readonly sandbox: Sandbox,
    readonly clock: ManualClock,
  ) {}

  /** Sends a request. Does not use `fetch`, because its streams take as much time as the call. */
  async send(path: string, { method = 'GET', headers, body, signal }: Sending = {}): Promise<Answer> {
    const response = await request(`${this.sandbox.url}${path}`, {
      method,
      dispatcher: agent,
      headers: { accept: '*/*', ...headers },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
    const text = await response.body.text();
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
      ),
      text,
      body: readObject(text),
    };
  }

  authorize(sending: Sending = {}): Promise<Answer> {
    const { clientId, clientSecret } = DEFAULT_CLIENT;
    return this.send('/api/v1/authorize', {
      method: 'POST',
      headers: { authorization: basic(clientId, clientSecret), ...FORM },
      body: 'grant_type=client_credentials',
      ...sending,
    });
  }

  async token({ clientId, clientSecret }: SandboxClient = DEFAULT_CLIENT): Promise<string> {
    const headers = { authorization: basic(clientId, clientSecret), ...FORM };
    const { status, body } = await this.authorize({ headers });
    expect(status).toBe(200);
    return String(body['access_token']);
  }

  /** Sends a create request with a token of the client, or with the headers in `sending`. */
  async create(request: unknown, { client, ...sending }: Sending & { client?: SandboxClient } = {}) {
    return this.send('/api/v2/sessions', {
      method: 'POST',
      headers: sending.headers ?? { ...bearer(await this.token(client)), ...JSON_TYPE },
      body: JSON.stringify(request),
      ...sending,
    });
  }

  /** Creates a session and returns its id. */
  async open(request: unknown, client?: SandboxClient): Promise<string> {
    const { status, body } = await this.create(request, { ...(client !== undefined && { client }) });
    expect(status).toBe(201);
    return String(body['sessionId']);
  }

  async details(sessionId: string, client?: SandboxClient): Promise<Answer> {
    return this.send(`/api/v2/sessions/${sessionId}/details`, { headers: bearer(await this.token(client)) });
  }

  async cancel(sessionId: string, sending: Sending = {}): Promise<Answer> {
    return this.send(`/api/v2/sessions/${sessionId}/cancel`, {
      method: 'POST',
      headers: sending.headers ?? bearer(await this.token()),
      ...sending,
    });
  }

  status(sessionId: string): Promise<Answer> {
    return this.send(`/api/v2/sessions/${sessionId}/status`);
  }
}

/** A create request with a method to change single fields. */
export class RequestBuilder {
  constructor(readonly value: Readonly<Record<string, unknown>>) {}

  /** Returns a copy in which the field at a dotted path has this value. `undefined` removes the field. */
  with(path: string, value: unknown): RequestBuilder {
    return new RequestBuilder(setAt(this.value, path.split('.'), value));
  }

  without(path: string): RequestBuilder {
    return this.with(path, undefined);
  }

  toJSON(): unknown {
    return this.value;
  }
}

const builderOf = (request: object) => new RequestBuilder({ ...request });

export const eft = (referenceId?: string) => builderOf(requests.eft(referenceId));
export const geft = (referenceId?: string) => builderOf(requests.geft(referenceId));
export const eTransfer = (referenceId?: string) => builderOf(requests.eTransfer(referenceId));

export const PAYEE = { account: requests.PAYEE_ACCOUNT };

type Fields = Readonly<Record<string, unknown>>;

function setAt(parent: unknown, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  const members = isObject(parent) ? parent : {};
  return { ...members, [name]: rest.length === 0 ? value : setAt(members[name], rest, value) };
}

function readObject(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Expects problem details with this status (contract rule A70, docs/contract.md), and returns their field `errors`. */
export function expectProblem(answer: Answer, status: number): Readonly<Record<string, readonly string[]>> {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({ status, type: 'about:blank' });
  expect(answer.status).toBe(status);
  expect(answer.text).not.toMatch(/\bat .*:\d+|node_modules|Error:/);
  return (answer.body['errors'] ?? {}) as Record<string, readonly string[]>;
}
