import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readForm } from '../../../src/web/bodies';
import type { ConsoleOptions } from '../../options';
import { sendConsolePage } from '../../page';
import { FOR_OPERATORS, readerOf, keyOf, note } from '../../access/reader';
import { actPath, sessionPath } from '../../http/paths';
import { textsOf } from '../../texts';
import { readView } from '../view';
import { revealPage } from '../request';
import { ACT_NAMES, type ActName } from './acts';
import { adoptPage, askPreview, previewPage, previewResult } from './adopt-pages';
import { confirmPage, type Confirmation, faultsOf, readActForm } from './confirm-form';
import { perform } from './perform';
import type { ActResults } from './results';

export interface ActContext {
  readonly options: ConsoleOptions;
  readonly results: ActResults;
}

/** Adds two routes for each action: the page that names the session and asks for confirmation, and the action itself. */
export function actRoutes(app: FastifyInstance, context: ActContext): void {
  const { options } = context;
  for (const act of ACT_NAMES) {
    app.get(`/sessions/:key/${act}`, FOR_OPERATORS, (request, reply) =>
      sendConfirmation(request, reply, options, { act }),
    );
    app.post(`/sessions/:key/${act}`, (request, reply) => take(request, reply, act, context));
  }
  app.post('/sessions/:key/adopt/preview', { config: { isRepeatable: true } }, (request, reply) =>
    takePreview(request, reply, options),
  );
  // This address accepts only forms. An operator who opens it, for example after a change of language, begins again.
  app.get('/sessions/:key/adopt/preview', (request, reply) =>
    reply.redirect(actPath(keyOf(request), 'adopt'), 303),
  );
}

/**
 * Acts on the session, and redirects to the session's page, which shows the result. `reveal` answers with a page instead. A form that was
 * already answered never reaches this function (see `answerSentFormsOnce`).
 */
async function take(
  request: FastifyRequest,
  reply: FastifyReply,
  act: ActName,
  { options, results }: ActContext,
): Promise<FastifyReply> {
  const form = readActForm(readForm(request));
  const { once, ...filled } = form;
  const faults = faultsOf(act, form);
  if (act === 'adopt' && faults.reason && !faults.sessionId)
    return sendPreview(request, reply.code(400), options, { form, faults });
  if (Object.keys(faults).length > 0)
    return sendConfirmation(request, reply.code(400), options, { act, filled: { form, faults } });
  if (act === 'reveal') return revealPage(request, reply, options, form.reason);
  const key = keyOf(request);
  const order = { ...filled, act, by: readerOf(request).operator.name, requestId: once };
  const result = await perform(options, key, order);
  note(options, request, { act, key, result });
  results.set(key, once, { act, result });
  return reply.redirect(`${sessionPath(key)}?done=${once}`, 303);
}

/**
 * Takes the first step of an adoption, in which the operator enters the id of the payment service's session. Shows the second step. Changes
 * nothing.
 */
async function takePreview(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
): Promise<FastifyReply> {
  const form = { ...readActForm(readForm(request)), once: randomUUID() };
  const { sessionId } = faultsOf('adopt', form);
  // The reason is not checked, because the first step has no field for it.
  return sessionId
    ? sendConfirmation(request, reply.code(400), options, {
        act: 'adopt',
        filled: { form, faults: { sessionId } },
      })
    : sendPreview(request, reply, options, { form, faults: {} });
}

/** Shows the second step: the payment service's session, before it is adopted. */
async function sendPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
  filled: Required<Confirmation>['filled'],
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const key = keyOf(request);
  const [view, answer] = await Promise.all([
    readView(options, key),
    askPreview(options.sessions.get(key), filled.form.sessionId),
  ]);
  note(options, request, { act: 'preview', key, result: previewResult(answer) });
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).acts.adopt.question,
    place: 'sessions',
    content: previewPage({ act: 'adopt', view, filled }, answer, reader),
  });
}

async function sendConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
  asked: Omit<Confirmation, 'view'>,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const confirmation = { ...asked, view: await readView(options, keyOf(request)) };
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).acts[asked.act].question,
    place: 'sessions',
    content: asked.act === 'adopt' ? adoptPage(confirmation, reader) : confirmPage(confirmation, reader),
  });
}
