import type { Client } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { sendConsolePage } from '../../../console/page';
import { readerOf } from '../../../console/access/reader';
import type { Access, OidcAccess } from '../../../console/access/access';
import { html } from '../../../src/web/html';
import type { PaymentSessions } from '../../../src';
import { buildConsole } from '../../../console/serve-console';

export const PUBLIC_URL = 'https://payments.example';
const SECRET = 'a secret of the tests, with enough in it';

export const GUARDED = {
  publicUrl: PUBLIC_URL,
  roleNames: { viewer: 'look', operator: 'act' },
  proxies: [],
  secret: SECRET,
};

export const OIDC: Omit<OidcAccess, 'issuer' | 'clientId'> = {
  kind: 'oidc',
  ...GUARDED,
  scope: 'openid',
  roleClaim: 'roles',
  loginLastsMs: 3_600_000,
};

/** A value in place of Temporal’s client and of the sessions. No page of these tests uses them. */
const NOTHING: unknown = {};

/** A console under test. It has an additional page and action, and records who used the action and what was logged. */
export interface Subject {
  readonly app: FastifyInstance;
  /** The names of the people who used the action. */
  readonly acts: string[];
  readonly lines: string[];
}

/** Builds a console with this access. It has the additional page `/look` and the additional action `/act`. */
export function consoleFor(access: Access, address?: string): Subject {
  const acts: string[] = [];
  const lines: string[] = [];
  const app = buildConsole(
    {
      client: NOTHING as Client,
      sessions: NOTHING as PaymentSessions,
      taskQueue: 'none',
      access,
      log: (line) => lines.push(line),
    },
    address,
  );
  app.get('/look', (request, reply) => {
    const { operator, csrfToken } = readerOf(request);
    const content = html`<p id="who">${operator.name} ${operator.role}</p>
      <input name="csrf" value="${csrfToken}" />`;
    return sendConsolePage(request, reply, { title: 'Look', content });
  });
  app.post('/act', (request, reply) => {
    acts.push(readerOf(request).operator.name);
    return reply.redirect('/look?done', 303);
  });
  return { app, acts, lines };
}

/** Returns the CSRF token in a page's forms. */
export const csrfOf = ({ body }: { readonly body: string }): string =>
  /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';

/** Returns an id for a form: a UUID that contains the label. */
export const onceOf = (label: string): string =>
  `00000000-0000-4000-8000-${Buffer.from(label).toString('hex').padStart(12, '0')}`;
