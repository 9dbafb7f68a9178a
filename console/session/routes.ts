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
import { lostOf, readView, withMoney, type SessionView } from './view';

/** Adds the pages of one session: its facts, its standing, and the possible actions. */
export function sessionRoutes(app: FastifyInstance, options: ConsoleOptions, live: Live): void {
  const context = { options, results: new ActResults() };
  const sessions = new LiveSessions(options);
  app.get('/sessions/:key', (request, reply) => sendSession(request, reply, context));
  app.get('/sessions/:key/events', (request, reply) => {
    const reader = readerOf(request);
    const { language, operator } = reader;
    const key = keyOf(request);
    // The page has nothing else of the reader.
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
  const { title, headed, facts } = textsOf(reader.language).session;
  return sendConsolePage(request, reply, {
    title: title(key),
    heading: html`${headed} ${copyable(key, facts.key, reader.language)}`,
    place: 'sessions',
    content: html`${became && doneNotice(became, reader.language)}
      <div data-live="${eventsPath(key)}">${sessionFragment(view, reader, options)}</div>`,
  });
}

/** The page's content and its check for lost parts share an answer. So do readers of other languages and roles. */
const VIEWS = { freshMs: 500, usableMs: 500 };

/** A reconciliation file comes once a day. */
const MONEY = { freshMs: 5_000, usableMs: 5_000 };

/** Reads sessions for their pages, once for all readers of a session. */
class LiveSessions {
  readonly #views = new StaleWhileRevalidate<SessionView>(VIEWS);
  readonly #money = new StaleWhileRevalidate<SessionView>(MONEY);
  readonly #options: ConsoleOptions;

  constructor(options: ConsoleOptions) {
    this.#options = options;
  }

  /** Shows a session to readers of this one's language and role. */
  shown(key: string, reader: Reader): Shown {
    let latest: SessionView | undefined;
    const look = async (): Promise<SessionView> => {
      const { value } = await this.#views.get(key, () => this.#read(key, latest));
      latest = value;
      return value;
    };
    return {
      render: async () => {
        const view = await look();
        // The page may have more, from before.
        const isNothing = view.summary === undefined && view.known === undefined;
        return isNothing ? undefined : sessionFragment(view, reader, this.#options);
      },
      reach: async () => {
        const lost = lostOf((await look()).silence);
        return lost === undefined ? 'back' : `${lost}Lost`;
      },
    };
  }

  /** After a final end, only the money may still move. */
  async #read(key: string, before: SessionView | undefined): Promise<SessionView> {
    if (before === undefined || !isFinal(before)) return readView(this.#options, key, before);
    const { value } = await this.#money.get(key, () => withMoney(this.#options, key, before, before));
    return value;
  }
}

function isFinal({ summary, known, silence, stored, moneyUnread }: SessionView): boolean {
  return (
    summary?.running === false &&
    known?.state.phase === 'ended' &&
    silence === undefined &&
    moneyUnread === undefined &&
    stored !== undefined
  );
}
