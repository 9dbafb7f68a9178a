import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../src/web/html';
import { copyable } from '../../src/web/shell/parts';
import type { ConsoleOptions } from '../options';
import { sendConsolePage } from '../page';
import { type Reader, readerOf, keyOf, note } from '../access/reader';
import { StaleWhileRevalidate } from '../reading/stale-while-revalidate';
import type { Live, Shown } from '../reading/live';
import { eventsPath, queryOf } from '../http/paths';
import { textsOf } from '../texts';
import { type ActContext, actRoutes } from './acts/act-routes';
import { doneNotice, ActResults } from './acts/results';
import { sessionFragment } from './session-fragment';
import { isFinal, lostPartOf, readView, type SessionView } from './view';

/** Adds the pages of one session: its facts, its standing, and the possible actions. */
export function sessionRoutes(app: FastifyInstance, options: ConsoleOptions, live: Live): void {
  const context = { options, results: new ActResults() };
  const shownTo = liveSessions(options);
  app.get('/sessions/:key', (request, reply) => sendSession(request, reply, context));
  app.get('/sessions/:key/events', (request, reply) => {
    const reader = readerOf(request);
    const { language, operator } = reader;
    const key = keyOf(request);
    // Readers with the same language and role share a topic, because the fragment depends on nothing else.
    const topic = `${language} ${operator.role} session ${key}`;
    return live.send(request, reply, topic, shownTo(reader, key));
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
  const { title, headed, facts } = textsOf(reader.language).session;
  return sendConsolePage(request, reply, {
    title: title(key),
    heading: html`${headed} ${copyable(key, facts.key, reader.language)}`,
    place: 'sessions',
    content: html`${became && doneNotice(became, reader.language)}
      <div data-live="${eventsPath(key)}">${sessionFragment(view, reader, options)}</div>`,
  });
}

/**
 * A read of a session is used for half a second: by the page's content, by its check for lost parts, and by readers of all languages and
 * roles.
 */
const VIEWS = { freshMs: 500, usableMs: 500 };

/**
 * The interval of reads after a final end. It is long, because reconciliation files come once a day and a key rarely gets a new workflow
 * run.
 */
const FINAL_EVERY_MS = 5_000;

/** Returns a function that shows a session to readers of one language and role. */
function liveSessions(options: ConsoleOptions): (reader: Reader, key: string) => Shown {
  const views = new StaleWhileRevalidate<SessionView>(VIEWS);
  return (reader, key) => {
    let latest: SessionView | undefined;
    let readAtMs = -Infinity;
    const readLatest = async () => {
      if (latest !== undefined && isFinal(latest) && performance.now() - readAtMs < FINAL_EVERY_MS)
        return latest;
      latest = (await views.get(key, () => readView(options, key, latest))).value;
      readAtMs = performance.now();
      return latest;
    };
    return {
      render: async () => {
        const view = await readLatest();
        // The page may still show an earlier view, which contains more than this one.
        const isEmpty = view.summary === undefined && view.known === undefined;
        return isEmpty ? undefined : sessionFragment(view, reader, options);
      },
      reach: async () => {
        const lost = lostPartOf((await readLatest()).silence);
        return lost === undefined ? 'back' : `${lost}Lost`;
      },
    };
  };
}
