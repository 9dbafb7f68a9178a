import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSessionId as isUuid } from '../src/contract/identity';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { readFileForm, readForm } from '../src/web/bodies';
import { type FormTokens, isFromOrigin, isFromOtherSite, isVisit } from '../src/web/guards';
import { readerOf } from './access/reader';
import { Refusal } from './http/refusal';

/**
 * Refuses requests that another site's page makes by itself. On this machine, without a login, each of them would make the console call the
 * Temporal server. A person may come from another site, by a link or back from a login.
 */
export function refuseOtherSites(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isVisit(request) && isFromOtherSite(request)) throw new Refusal('otherSite');
    done();
  });
}

/** The conditions of every form. */
export interface FormGuard {
  readonly tokens: FormTokens;
  /** The only allowed origin of forms. @default the requested host, by http */
  readonly origin: string | undefined;
}

/** Refuses viewers on operators' routes and forms. Refuses a change unless it is a form of this console, sent in the same login. */
export function guardForms(app: FastifyInstance, { tokens, origin }: FormGuard): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { isForViewers, isForOperators } = request.routeOptions.config;
    const isForm = changesSomething(request);
    if (isForm && !isFromOrigin(request, origin ?? `http://${request.headers.host ?? ''}`))
      throw new Refusal('otherOrigin');
    if (isForOperators === true || (isForm && isForViewers !== true)) operatorOnly(request);
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (changesSomething(request)) {
      const hasFile = request.routeOptions.config.hasFile === true;
      const { fields } = hasFile ? readFileForm(request) : { fields: readForm(request) };
      if (!tokens.fits(readerOf(request).loginId, fields.get('csrf') ?? '')) throw new Refusal('staleForm');
    }
    done();
  });
}

function operatorOnly(request: FastifyRequest): void {
  if (readerOf(request).operator.role !== 'operator') throw new Refusal('viewer');
}

/** True unless the request is a read or has no route: a missing route has its own answer. */
const changesSomething = (request: FastifyRequest): boolean =>
  !request.is404 && request.method !== 'GET' && request.method !== 'HEAD';

/** The answer to a form, with its location if it is a redirect. `undefined` for a form that failed and may be sent again. */
type Answer = { readonly location: string | undefined } | undefined;

interface SentForm {
  readonly key: string;
  /** The digest of the URL and the body, to detect a changed form. */
  readonly digest: string;
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    sentForm?: SentForm;
  }
  interface FastifyContextConfig {
    /** True if the form has no `once`, because it may be sent repeatedly. @default false */
    isRepeatable?: boolean;
    /** True if the form has a file. @default false */
    hasFile?: boolean;
  }
}

/** The maximum number of forms kept: the latest ones. For an action on a session, the Temporal server also recognizes a repeated `once`. */
const MOST_FORMS = 1_000;

/**
 * Prevents a form from acting twice. `once` is the form's own id. If a form is sent again with the same `once`, repeats the redirect of the
 * first answer, and does nothing else. Refuses the form if it has changed, or if the first answer was a page. A form that failed may be
 * sent again. Refuses a form without a valid `once`.
 */
export function answerSentFormsOnce(app: FastifyInstance): void {
  const forms = new Map<string, SentForm>();

  app.addHook('preHandler', async (request, reply) => {
    const { isForViewers, isRepeatable } = request.routeOptions.config;
    if (!changesSomething(request) || isForViewers === true || isRepeatable === true) return;
    const once = readForm(request).get('once') ?? '';
    // For an action on a session, this becomes an id at the Temporal server.
    if (!isUuid(once)) throw new Refusal('incompleteForm');
    const key = `${readerOf(request).loginId} ${once}`;
    const digest = digestOf(request);
    for (let before = forms.get(key); before !== undefined; before = forms.get(key)) {
      if (before.digest !== digest) throw new Refusal('sentBefore');
      const answer = await before.answer;
      if (answer !== undefined) return repeat(reply, answer);
    }
    request.sentForm = remember(forms, key, digest);
  });

  app.addHook('onSend', (request, reply, _payload, done) => {
    const { sentForm } = request;
    if (sentForm !== undefined) {
      const failed = reply.statusCode >= 400;
      if (failed) forms.delete(sentForm.key);
      const location = reply.getHeader('location');
      sentForm.settle(failed ? undefined : { location: typeof location === 'string' ? location : undefined });
    }
    done();
  });
}

function remember(forms: Map<string, SentForm>, key: string, digest: string): SentForm {
  let settle: (answer: Answer) => void = () => undefined;
  const answer = new Promise<Answer>((resolve) => {
    settle = resolve;
  });
  const form = { key, digest, answer, settle };
  forms.set(key, form);
  dropOldest(forms, MOST_FORMS);
  return form;
}

function repeat(reply: FastifyReply, { location }: NonNullable<Answer>): FastifyReply {
  if (location === undefined) throw new Refusal('sentBefore');
  return reply.redirect(location, 303);
}

function digestOf({ url, body }: FastifyRequest): string {
  const hash = createHash('sha256').update(`${url}\n`);
  return hash.update(Buffer.isBuffer(body) ? body : '').digest('base64url');
}
