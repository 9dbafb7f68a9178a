import { faultOfSession } from '../../src/errors';
import type { ClaimFact } from '../../src/protocol/ledger/fold';
import type { WebhookEvent } from '../../src/protocol/webhooks';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { ReadEntry, SessionEntries } from '../entry-log';
import type { PaymentLedger } from '../payment-ledger';
import { described } from '../postgres/failures';
import type { NewAnswer } from './deliveries';
import type { DeliveryEvent } from './delivery-event';
import { eventsOf, messageId } from './message';
import type { LeasedWebhooks } from './outbox';
import type { Delivery, WebhookMessage } from './post';

/** The webhooks of one session for one endpoint, and what is needed to deliver them. */
export interface SessionDelivery {
  readonly ledger: PaymentLedger;
  readonly endpoint: WebhookEndpoint;
  readonly leased: LeasedWebhooks;
  readonly send: (message: WebhookMessage) => Promise<Delivery>;
  readonly onEvent: (event: DeliveryEvent) => void;
  /** Stops the delivery when it aborts, after the current entry. */
  readonly signal: AbortSignal;
}

type Refused = Extract<Delivery, { delivered: false }>;

/** The endpoint's answers to a session's webhooks. */
export interface Delivered {
  /** The number of messages that the endpoint accepted. */
  readonly delivered: number;
  /** The refusal because of which the delivery stopped. Absent if it stopped for another reason. */
  readonly refused?: Refused;
}

/** A message about an entry of the ledger. */
interface EntryMessage {
  readonly id: string;
  readonly event: WebhookEvent;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The waits before a session is read again if its webhooks cannot be sent. `withheld`: the session was tampered with in the ledger, and an
 * operator must check it. `unreadable`: this sender lacks the encryption key, but another sender may have it.
 */
const READ_AGAIN_MS = { withheld: HOUR_MS, unreadable: MINUTE_MS };

/**
 * The waits after the first refusals of a message. After these, the message is sent once an hour. It is given up after three days. Later
 * messages of the session wait until then.
 */
const FIRST_WAITS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
const HOURLY_ATTEMPTS = 72;

/**
 * Delivers those webhooks of a session that an endpoint has not received, in order. There are three reasons to stop before the last one:
 *
 * - The endpoint refuses a message. The message is sent again later.
 * - The endpoint receives personal data, and the session cannot be decrypted.
 * - The session was tampered with in the ledger. Signed messages would make an intruder's data look genuine.
 */
export async function deliverSession(delivery: SessionDelivery): Promise<Delivered> {
  const { ledger, leased } = delivery;
  let delivered = 0;
  const onEvent = (event: DeliveryEvent): void => {
    if (event.kind === 'delivered') delivered += 1;
    delivery.onEvent(event);
  };
  try {
    const refused = await deliverEntries({ ...delivery, onEvent });
    return { delivered, ...(refused && { refused }) };
  } catch (error) {
    const fault = faultOfSession(error);
    if (fault === undefined) throw error;
    const { endpoint, key } = leased;
    const kind = fault === 'unreadable' ? fault : 'withheld';
    onEvent({ kind, endpoint, key, ...described(error) });
    await ledger.webhooks.release(leased, READ_AGAIN_MS[kind]);
    return { delivered };
  }
}

/** Delivers the entries. If the delivery stops because of a refusal, returns the refusal. */
async function deliverEntries(delivery: SessionDelivery): Promise<Refused | undefined> {
  const { ledger, endpoint, leased, signal } = delivery;
  const outbox = ledger.webhooks;
  let [from, to] = [leased.from, leased.to];
  for (;;) {
    const session = await outbox.read(leased.key);
    const readable = endpoint.personalData === true ? await outbox.reveal(session) : session.entries;
    const entries = session.entries.slice(from - 1, to);
    // The entries are missing. `ledger verify` reports this.
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      const { number } = entry;
      const messages = messagesOf(delivery, session, readable.slice(0, number));
      const wanted = messages.filter(({ event }) => isWanted(endpoint, event));
      const { answers, refused } = await deliverEntry(delivery, entry, wanted);
      await ledger.webhookDeliveries.record(leased, number, answers);
      if (refused !== undefined && (await scheduleRetry(delivery, entry, refused))) return refused;
      from = number + 1;
      // If an entry sends no messages, it is not marked as done by itself. The next entry that sends one marks it, or the last entry does.
      if (messages.length === 0 && number !== to) continue;
      const last = await outbox.done(leased, number, { isWhole: wanted.length === messages.length });
      if (last === undefined) return undefined;
      if (signal.aborted) {
        await outbox.release(leased);
        return undefined;
      }
      to = last;
    }
  }
}

/** Returns the messages about the last of these entries. */
function messagesOf(
  { ledger: { environment }, endpoint, leased: { key } }: SessionDelivery,
  session: SessionEntries,
  entries: readonly ClaimFact[],
): readonly EntryMessage[] {
  const factId = session.entries[entries.length - 1]?.id ?? '';
  const reported = { key, environment, entries, isPersonal: endpoint.personalData === true };
  return eventsOf(reported).map((event) => ({ id: messageId(reported, factId, event.type), event }));
}

const isWanted = ({ accounts, kinds }: WebhookEndpoint, { type, data }: WebhookEvent): boolean =>
  (kinds === undefined || kinds.includes(type)) &&
  (accounts === undefined || accounts.includes(data.account));

/** The endpoint's answers to the messages about an entry, and the last refusal among these answers. */
interface EntryAnswers {
  readonly answers: readonly NewAnswer[];
  readonly refused?: Refused & Attempt;
}

/** Sends the messages about one entry. Stops if a message is refused, unless that message is given up. */
async function deliverEntry(
  { endpoint, leased, send, onEvent }: SessionDelivery,
  { recordedAt, number }: ReadEntry,
  messages: readonly EntryMessage[],
): Promise<EntryAnswers> {
  const answers: NewAnswer[] = [];
  let refused: EntryAnswers['refused'];
  for (const { id, event } of messages) {
    const delivery = await send({ id, body: JSON.stringify(event) });
    const { type } = event;
    const { outcome } = delivery;
    const message = { endpoint: endpoint.name, type, key: leased.key, id };
    if (delivery.delivered) {
      answers.push({ id, type, outcome, state: 'delivered' });
      onEvent({ kind: 'delivered', ...message, afterMs: Date.now() - Date.parse(recordedAt) });
      continue;
    }
    refused = { ...delivery, ...attemptOf(leased, number, delivery) };
    const isGivenUp = refused.waitMs === undefined;
    answers.push({ id, type, outcome, state: isGivenUp ? 'givenUp' : 'refused' });
    onEvent({ kind: 'refused', ...message, outcome });
    if (!isGivenUp) break;
  }
  return { answers, ...(refused && { refused }) };
}

/** A refused attempt. */
interface Attempt {
  /** The number of times that the entry was refused. */
  readonly attempts: number;
  /** The wait before the next attempt, in milliseconds. `undefined` if the entry is given up. */
  readonly waitMs: number | undefined;
}

function attemptOf(leased: LeasedWebhooks, from: number, { retryAfterMs, isGivenUp }: Refused): Attempt {
  const before = from === leased.from ? leased.attempts : 0;
  if (isGivenUp === true) return { attempts: before + 1, waitMs: undefined };
  // A probe tests an endpoint that is down. Its refusal is not counted for the session.
  if (leased.isProbe) return { attempts: before, waitMs: 0 };
  return { attempts: before + 1, waitMs: waitOfMessage(before + 1, Math.random(), retryAfterMs) };
}

/** Schedules another attempt for a refused entry and all later entries. Gives the entry up if it has no wait. Returns true if it is scheduled. */
async function scheduleRetry(
  { ledger, leased, onEvent }: SessionDelivery,
  { number: from }: ReadEntry,
  { outcome, attempts, waitMs }: Refused & Attempt,
): Promise<boolean> {
  if (waitMs !== undefined) {
    await ledger.webhooks.refused(leased, { from, attempts, waitMs });
    return true;
  }
  await ledger.webhooks.givenUp(leased, from);
  onEvent({ kind: 'givenUp', endpoint: leased.endpoint, key: leased.key, outcome });
  return false;
}

/**
 * Returns the wait after a number of refusals, in milliseconds. Returns `undefined` if the message is given up.
 *
 * @param random a number from 0 to 1, which lengthens the wait by up to a tenth
 */
export function waitOfMessage(refusals: number, random: number, retryAfterMs = 0): number | undefined {
  if (refusals > FIRST_WAITS_MS.length + HOURLY_ATTEMPTS) return undefined;
  return Math.round(Math.max(FIRST_WAITS_MS[refusals - 1] ?? HOUR_MS, retryAfterMs) * (1 + random / 10));
}
