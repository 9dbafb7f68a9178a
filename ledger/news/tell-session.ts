import type { ClaimFact } from '../../src/protocol/ledger/known-claim';
import type { ReadEntry, SessionEntries } from '../entries/entry-log';
import { waitOfMessage } from './back-off';
import type { NewsEndpoint } from '../../src/settings/news/endpoints';
import { messageId } from './signature';
import type { News } from '../../src/protocol/news';
import { newsOf } from './message';
import type { HeldNews, NewsOutbox } from './outbox';
import type { Delivery, NewsMessage } from './post';
import type { NewsEvent } from './news-event';

/** What is told of one session to one endpoint. */
export interface Telling {
  readonly outbox: NewsOutbox;
  readonly environment: string;
  readonly endpoint: NewsEndpoint;
  readonly news: HeldNews;
  /** The endpoint is down, and this is to show whether it still is. */
  readonly isProbe: boolean;
  readonly send: (message: NewsMessage) => Promise<Delivery>;
  readonly onEvent: (event: NewsEvent) => void;
  /** The sender stops: it finishes the entry that it tells. */
  readonly signal: AbortSignal;
}

type Refused = Extract<Delivery, { delivered: false }>;

/** What an endpoint took of a session's news. */
export interface Told {
  readonly delivered: number;
  /** Why it stopped. Absent where nothing was refused. */
  readonly refused?: Refused;
}

/** Tells an endpoint what it has not been told of a session, in order, until it refuses. */
export async function tellSession(telling: Telling): Promise<Told> {
  const { outbox, news, signal } = telling;
  let [from, to] = [news.from, news.to];
  let delivered = 0;
  for (;;) {
    const session = await outbox.read(news.key);
    const revealed = await revealedOf(telling, session);
    const entries = session.entries.slice(from - 1, to);
    // A verification says that they are gone.
    if (entries.length === 0) return { delivered };
    for (const entry of entries) {
      const { number, recordedAt } = entry;
      const messages = messagesOf(telling, revealed.slice(0, number));
      const told = await tellEntry(telling, entry, messages);
      delivered += told.delivered;
      if (told.refused !== undefined && (await isHeldUp(telling, entry, told.refused)))
        return { delivered, refused: told.refused };
      from = number + 1;
      // What is no news costs no statement, but for the last.
      if (messages.length === 0 && number !== to) continue;
      const last = await outbox.told(news, number, session.entries[number]?.recordedAt ?? recordedAt);
      if (last === undefined) return { delivered };
      if (signal.aborted) {
        await outbox.release(news);
        return { delivered };
      }
      to = last;
    }
  }
}

async function revealedOf(
  { outbox, endpoint }: Telling,
  session: SessionEntries,
): Promise<readonly ClaimFact[]> {
  return endpoint.personalData === true ? outbox.reveal(session) : session.entries;
}

/** The messages about the last of these entries that the endpoint wants. */
function messagesOf({ environment, endpoint, news }: Telling, entries: readonly ClaimFact[]): readonly News[] {
  const { accounts, kinds, personalData: isPersonal = false } = endpoint;
  return newsOf({ key: news.key, environment, entries, isPersonal }).filter(
    ({ type, data }) =>
      (kinds === undefined || kinds.includes(type)) &&
      (accounts === undefined || accounts.includes(data.account)),
  );
}

/** Sends the messages of one entry, until one is refused. */
async function tellEntry(
  { endpoint, news, send, onEvent }: Telling,
  { hash, recordedAt }: ReadEntry,
  messages: readonly News[],
): Promise<Told> {
  let delivered = 0;
  for (const message of messages) {
    const { type } = message;
    const id = messageId(hash, type);
    const delivery = await send({ id, body: JSON.stringify(message) });
    const told = { endpoint: endpoint.name, type, key: news.key, id };
    if (!delivery.delivered) {
      onEvent({ kind: 'refused', ...told, outcome: delivery.outcome });
      return { delivered, refused: delivery };
    }
    delivered += 1;
    onEvent({ kind: 'delivered', ...told, afterMs: Date.now() - Date.parse(recordedAt) });
  }
  return { delivered };
}

/** Puts a refused entry off, and what comes after it; gives false where it is given up. */
async function isHeldUp(
  { outbox, news, isProbe, onEvent }: Telling,
  { number: from, recordedAt }: ReadEntry,
  { outcome, retryAfterMs }: Refused,
): Promise<boolean> {
  const before = from === news.from ? news.attempts : 0;
  const waitMs = isProbe ? 0 : waitOfMessage(before + 1, Math.random(), retryAfterMs);
  if (waitMs !== undefined) {
    await outbox.refused(news, { from, waitMs, isProbe });
    return true;
  }
  await outbox.givenUp(news, recordedAt);
  onEvent({ kind: 'givenUp', endpoint: news.endpoint, key: news.key, outcome });
  return false;
}
