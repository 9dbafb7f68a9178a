import { isPaysessionError, type PaysessionError } from '../../src/errors';
import type { ClaimFact } from '../../src/protocol/ledger/known-claim';
import type { ReadEntry, SessionEntries } from '../entries/entry-log';
import { waitOfMessage } from './back-off';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { WebhookEvent } from '../../src/protocol/webhooks';
import { messageId, eventsOf } from './message';
import type { HeldWebhooks, WebhookOutbox } from './outbox';
import type { Delivery, WebhookMessage } from './post';
import type { DeliveryEvent } from './delivery-event';

/** The webhooks of one session for one endpoint, and the means to deliver them. */
export interface Telling {
  readonly outbox: WebhookOutbox;
  readonly environment: string;
  readonly endpoint: WebhookEndpoint;
  readonly webhooks: HeldWebhooks;
  /** The endpoint is down, and this shows whether it still is. */
  readonly isProbe: boolean;
  readonly send: (message: WebhookMessage) => Promise<Delivery>;
  readonly onEvent: (event: DeliveryEvent) => void;
  /** The sender stops: it finishes the entry under way. */
  readonly signal: AbortSignal;
}

type Refused = Extract<Delivery, { delivered: false }>;

/** What an endpoint took of a session's webhooks. */
export interface Told {
  readonly delivered: number;
  /** Absent if nothing was refused. */
  readonly refused?: Refused;
  /** The session was changed in the ledger: nothing of it is sent. */
  readonly isWithheld?: true;
}

/** A message about an entry, as it is sent. */
interface EntryMessage {
  readonly id: string;
  readonly event: WebhookEvent;
}

/** A session that was changed in the ledger is read again so late. A person has to look first. */
const WITHHELD_FOR_MS = 60 * 60_000;

/**
 * Delivers the webhooks of a session that an endpoint has not received, in order, until the endpoint refuses one. Delivers none of a session
 * that was changed in the ledger: a signature would vouch for what an intruder has written.
 */
export async function tellSession(telling: Telling): Promise<Told> {
  const { outbox, webhooks, onEvent } = telling;
  try {
    return await tellEntries(telling);
  } catch (error) {
    if (!isTampered(error)) throw error;
    const { endpoint, key, from, attempts } = webhooks;
    onEvent({ kind: 'withheld', endpoint, key, code: error.code, message: error.message });
    await outbox.refused(webhooks, { from, attempts, waitMs: WITHHELD_FOR_MS });
    return { delivered: 0, isWithheld: true };
  }
}

const isTampered = (error: unknown): error is PaysessionError =>
  isPaysessionError(error, 'LEDGER_TAMPERED') || isPaysessionError(error, 'ENCRYPTION_TAMPERED');

async function tellEntries(telling: Telling): Promise<Told> {
  const { outbox, webhooks, signal } = telling;
  let [from, to] = [webhooks.from, webhooks.to];
  let delivered = 0;
  for (;;) {
    const session = await outbox.read(webhooks.key);
    const revealed = await revealedOf(telling, session);
    const entries = session.entries.slice(from - 1, to);
    // A verification reports that they are gone.
    if (entries.length === 0) return { delivered };
    for (const entry of entries) {
      const { number } = entry;
      const messages = messagesOf(telling, session, revealed.slice(0, number));
      const wanted = messages.filter(({ event }) => isWanted(telling.endpoint, event));
      const told = await tellEntry(telling, entry, wanted);
      delivered += told.delivered;
      if (told.refused !== undefined && (await isHeldUp(telling, entry, told.refused)))
        return { delivered, refused: told.refused };
      from = number + 1;
      // An entry without messages costs no statement, but for the last.
      if (messages.length === 0 && number !== to) continue;
      const last = await outbox.done(webhooks, number, { isWhole: wanted.length === messages.length });
      if (last === undefined) return { delivered };
      if (signal.aborted) {
        await outbox.release(webhooks);
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

/** Returns the messages about the last of these entries. */
function messagesOf(
  { environment, endpoint, webhooks: { key } }: Telling,
  session: SessionEntries,
  entries: readonly ClaimFact[],
): readonly EntryMessage[] {
  const factId = session.entries[entries.length - 1]?.id ?? '';
  const told = { key, environment, entries, isPersonal: endpoint.personalData === true };
  return eventsOf(told).map((event) => ({ id: messageId(told, factId, event.type), event }));
}

const isWanted = ({ accounts, kinds }: WebhookEndpoint, { type, data }: WebhookEvent): boolean =>
  (kinds === undefined || kinds.includes(type)) &&
  (accounts === undefined || accounts.includes(data.account));

/** Sends the messages of one entry, until one is refused. */
async function tellEntry(
  { endpoint, webhooks, send, onEvent }: Telling,
  { recordedAt }: ReadEntry,
  messages: readonly EntryMessage[],
): Promise<Told> {
  let delivered = 0;
  for (const { id, event } of messages) {
    const delivery = await send({ id, body: JSON.stringify(event) });
    const told = { endpoint: endpoint.name, type: event.type, key: webhooks.key, id };
    if (!delivery.delivered) {
      onEvent({ kind: 'refused', ...told, outcome: delivery.outcome });
      return { delivered, refused: delivery };
    }
    delivered += 1;
    onEvent({ kind: 'delivered', ...told, afterMs: Date.now() - Date.parse(recordedAt) });
  }
  return { delivered };
}

/** Schedules another attempt for a refused entry, and for those after it. Returns false if the entry is given up. */
async function isHeldUp(
  { outbox, webhooks, isProbe, onEvent }: Telling,
  { number: from }: ReadEntry,
  { outcome, retryAfterMs }: Refused,
): Promise<boolean> {
  const before = from === webhooks.from ? webhooks.attempts : 0;
  // A probe counts for the endpoint, and not for the session.
  const attempts = isProbe ? before : before + 1;
  const waitMs = isProbe ? 0 : waitOfMessage(attempts, Math.random(), retryAfterMs);
  if (waitMs !== undefined) {
    await outbox.refused(webhooks, { from, attempts, waitMs });
    return true;
  }
  await outbox.givenUp(webhooks, from);
  onEvent({ kind: 'givenUp', endpoint: webhooks.endpoint, key: webhooks.key, outcome });
  return false;
}
