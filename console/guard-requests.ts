import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSessionId as isUuid } from '../src/contract/identity';
import { dropOldest } from '../src/contract/values/drop-oldest';
import { readFileForm, readForm } from '../src/web/bodies';
import { type FormTokens, isFromOrigin, isFromOtherSite, isVisit } from '../src/web/guards';
import { readerOf } from './access/reader';
import { Refusal } from './http/refusal';

/**
 * Refuses requests that a page of another site makes by itself. On a console without a login, each such request would make the console call
 * the Temporal server. A person may still come from another site by a link, or return from a login.
 */
export function refuseOtherSites(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isVisit(request) && isFromOtherSite(request)) throw new Refusal('otherSite');
    done();
  });
}

/** The checks of every form. */
export interface FormGuard {
  readonly tokens: FormTokens;
  /** The only origin from which forms are accepted. @default `http` and the requested host */
  readonly origin: string | undefined;
}

/**
 * Refuses viewers on the routes and forms of operators. Refuses every change that is not a form of this console, sent in the login for
 * which the form was made.
 */
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

/** True for a request that may change something. False for a read, and for a request without a route, which gets its own answer. */
const changesSomething = (request: FastifyRequest): boolean =>
  !request.is404 && request.method !== 'GET' && request.method !== 'HEAD';

/** The answer to a form. `location` is the target if the answer is a redirect. `undefined` if the form failed and may be sent again. */
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
    /** True for a form without the field `once`, which may be sent repeatedly. @default false */
    isRepeatable?: boolean;
    /** True if the form has a file. @default false */
    hasFile?: boolean;
  }
}

/**
 * The maximum number of sent forms to remember. Older ones are forgotten. For an action on a session, the Temporal server also recognizes a
 * repeated `once`.
 */
const MOST_FORMS = 1_000;

/**
 * Prevents a form from acting twice. Each form has a field `once`, the form's own id. Refuses a form without a valid `once`. If a form is
 * sent again with the same `once`, only repeats the redirect of the first answer. Refuses the form instead if its fields have changed, or
 * if the first answer was a page. A form that failed may be sent again.
 */
export function answerSentFormsOnce(app: FastifyInstance): void {
  const forms = new Map<string, SentForm>();

  app.addHook('preHandler', async (request, reply) => {
    const { isForViewers, isRepeatable } = request.routeOptions.config;
    if (!changesSomething(request) || isForViewers === true || isRepeatable === true) return;
    const once = readForm(request).get('once') ?? '';
    // The id must be a UUID, because an action on a session uses it as an id at the Temporal server.
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
