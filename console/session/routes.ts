import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../web/html';
import { sharedOf } from '../reading/of-console';
import type { ConsoleOptions } from '../server/options';
import { sendConsolePage } from '../server/page';
import { queryOf } from '../server/query';
import { readerOf } from '../server/reader';
import { ActResults } from './acts/act-results';
import { actRoutes, type ActContext } from './acts/act-routes';
import { doneNotice } from './acts/done-notice';
import { LiveSessions } from './live-session';
import { eventsPath } from './paths';
import { keyOf, note } from './requests';
import { sessionFragment } from './session-fragment';
import { textsOf } from './texts/languages';
import { readView } from './view';

/** One session: what it is, where it stands, and what can be done about it. */
export function sessionRoutes(app: FastifyInstance, options: ConsoleOptions): void {
  const context = { options, results: new ActResults() };
  const { live } = sharedOf(options);
  const sessions = new LiveSessions(options);
  app.get('/sessions/:key', (request, reply) => sendSession(request, reply, context));
  app.get('/sessions/:key/events', (request, reply) => {
    const reader = readerOf(request);
    const { language, operator } = reader;
    const key = keyOf(request);
    // No more of the reader is on the page.
    const question = `${language} ${operator.role} session ${key}`;
    return live.send(request, reply, question, sessions.shown(key, reader));
  });
  actRoutes(app, context);
}

async function sendSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, results }: ActContext,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const key = keyOf(request);
  const view = await readView(options, key);
  const became = results.get(key, queryOf(request).get('done') ?? '');
  note(options, request, { act: 'look', key, result: view.silence ?? 'shown' });
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).title(key),
    place: 'sessions',
    content: html`${became && doneNotice(became, reader.language)}
      <div data-live="${eventsPath(key)}">${sessionFragment(view, reader, options)}</div>`,
  });
}
