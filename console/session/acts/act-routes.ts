import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readForm } from '../../../web/bodies';
import { Refusal } from '../../http/refusal';
import type { ConsoleOptions } from '../../options';
import { sendConsolePage } from '../../page';
import { operatorOnly, readerOf, keyOf, note } from '../../access/reader';
import { actPath, sessionPath } from '../../http/paths';
import { textsOf } from '../../texts';
import { readView } from '../view';
import { revealPage } from '../request';
import { ACT_NAMES, type ActName } from './acts';
import { adoptPage, askPreview, previewPage, previewResult } from './adopt-pages';
import {
  confirmPage,
  type Confirmation,
  faultsOf,
  isFormId,
  readActForm,
  type ActForm,
  type FormFaults,
} from './confirm-form';
import { perform } from './perform';
import type { ActResults } from './results';

export interface ActContext {
  readonly options: ConsoleOptions;
  readonly results: ActResults;
}

/** A confirmation for each act, which names the session, and the act itself. */
export function actRoutes(app: FastifyInstance, context: ActContext): void {
  const { options } = context;
  for (const act of ACT_NAMES) {
    app.get(`/sessions/:key/${act}`, async (request, reply) => {
      operatorOnly(request);
      return sendConfirmation(request, reply, { act, view: await readView(options, keyOf(request)) });
    });
    app.post(`/sessions/:key/${act}`, (request, reply) => take(request, reply, act, context));
  }
  app.post('/sessions/:key/adopt/preview', { config: { isRepeatable: true } }, (request, reply) =>
    takePreview(request, reply, options),
  );
  // Who comes back here, in another language for instance, begins again.
  app.get('/sessions/:key/adopt/preview', (request, reply) =>
    reply.redirect(actPath(keyOf(request), 'adopt'), 303),
  );
}

async function take(
  request: FastifyRequest,
  reply: FastifyReply,
  act: ActName,
  context: ActContext,
): Promise<FastifyReply> {
  const { options } = context;
  const key = keyOf(request);
  const form = readActForm(readForm(request));
  if (!isFormId(form.once)) throw new Refusal('incompleteForm');
  const faults = faultsOf(act, form);
  if (act === 'adopt' && faults.reason && !faults.sessionId)
    return sendPreview(request, reply.code(400), { form, faults, key, options });
  if (Object.keys(faults).length > 0) {
    const view = await readView(options, key);
    return sendConfirmation(request, reply.code(400), { act, view, filled: { form, faults } });
  }
  if (act === 'reveal') return revealPage(request, reply, { form, key, options });
  return carryOut(request, reply, { act, form, key, context });
}

interface PreviewRequest {
  readonly form: ActForm;
  readonly faults: FormFaults;
  readonly key: string;
  readonly options: ConsoleOptions;
}

/** The first step of adopting: leads to what the payment service says of the session, and changes nothing. */
async function takePreview(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
): Promise<FastifyReply> {
  const key = keyOf(request);
  const form = { ...readActForm(readForm(request)), once: randomUUID() };
  const { sessionId } = faultsOf('adopt', form);
  // Nobody was asked for a reason yet.
  if (!sessionId) return sendPreview(request, reply, { form, faults: {}, key, options });
  const filled = { form, faults: { sessionId } };
  return sendConfirmation(request, reply.code(400), {
    act: 'adopt',
    view: await readView(options, key),
    filled,
  });
}

/** The second step: shows what the payment service says of a session before it is adopted. */
async function sendPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  { form, faults, key, options }: PreviewRequest,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const [view, answer] = await Promise.all([
    readView(options, key),
    askPreview(options.sessions.get(key), form.sessionId),
  ]);
  note(options, request, { act: 'preview', key, result: previewResult(answer) });
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).acts.adopt.question,
    place: 'sessions',
    content: previewPage({ act: 'adopt', view, filled: { form, faults } }, answer, reader),
  });
}

interface Ordered {
  readonly act: Exclude<ActName, 'reveal'>;
  readonly form: ActForm;
  readonly key: string;
  readonly context: ActContext;
}

/** Leads to the session's page, which says what came of it. A form that comes again comes no further than the server. */
async function carryOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { act, form, key, context: { options, results } }: Ordered,
): Promise<FastifyReply> {
  const { operator } = readerOf(request);
  const { once, reason, sessionId } = form;
  const order = { act, by: operator.name, reason, requestId: once, sessionId };
  const performed = await perform(options.sessions.get(key), order);
  note(options, request, { act, key, result: performed.result });
  results.set(key, once, performed);
  return reply.redirect(`${sessionPath(key)}?done=${once}`, 303);
}

function sendConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  confirmation: Confirmation,
): FastifyReply {
  const reader = readerOf(request);
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).acts[confirmation.act].question,
    place: 'sessions',
    content:
      confirmation.act === 'adopt' ? adoptPage(confirmation, reader) : confirmPage(confirmation, reader),
  });
}
