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

/** The webhooks of one session for one endpoint, and the means to deliver them. */
export interface SessionDelivery {
  readonly ledger: PaymentLedger;
  readonly endpoint: WebhookEndpoint;
  readonly leased: LeasedWebhooks;
  readonly send: (message: WebhookMessage) => Promise<Delivery>;
  readonly onEvent: (event: DeliveryEvent) => void;
  /** Stops the delivery after the entry under way. */
  readonly signal: AbortSignal;
}

type Refused = Extract<Delivery, { delivered: false }>;

/** The endpoint's answers to a session's webhooks. */
export interface Delivered {
  /** The number of messages that the endpoint accepted. */
  readonly delivered: number;
  /** The refusal at which the delivery stopped, if it stopped at one. */
  readonly refused?: Refused;
}

/** A message about an entry, as it is sent. */
interface EntryMessage {
  readonly id: string;
  readonly event: WebhookEvent;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The waits before a session is read again. `withheld`: an operator must check the session, which was tampered with in the ledger.
 * `unreadable`: another sender may have the key that decrypts the session.
 */
const READ_AGAIN_MS = { withheld: HOUR_MS, unreadable: MINUTE_MS };

/** The first waits after refusals. Hourly attempts follow, for three days in all. Later messages of the session wait behind the refused one. */
const FIRST_WAITS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
const HOURLY_ATTEMPTS = 72;

/**
 * Delivers the webhooks of a session that an endpoint has not received, in order, until the endpoint refuses one that is sent again later.
 * Also stops if the endpoint receives personal data and the session cannot be decrypted. Also stops if the session was tampered with in
 * the ledger: a signature would vouch for data that an intruder has written.
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

/** Delivers the entries. Returns the refusal at which the delivery stopped; `undefined` if it did not stop at one. */
async function deliverEntries(delivery: SessionDelivery): Promise<Refused | undefined> {
  const { ledger, endpoint, leased, signal } = delivery;
  const outbox = ledger.webhooks;
  let [from, to] = [leased.from, leased.to];
  for (;;) {
    const session = await outbox.read(leased.key);
    const readable = endpoint.personalData === true ? await outbox.reveal(session) : session.entries;
    const entries = session.entries.slice(from - 1, to);
    // Entries are missing. A verification of the ledger reports this.
    if (entries.length === 0) return undefined;
    for (const entry of entries) {
      const { number } = entry;
      const messages = messagesOf(delivery, session, readable.slice(0, number));
      const wanted = messages.filter(({ event }) => isWanted(endpoint, event));
      const { answers, refused } = await deliverEntry(delivery, entry, wanted);
      await ledger.webhookDeliveries.record(leased, number, answers);
      if (refused !== undefined && (await scheduleRetry(delivery, entry, refused))) return refused;
      from = number + 1;
      // An entry without messages costs no statement, except the last entry.
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
  const told = { key, environment, entries, isPersonal: endpoint.personalData === true };
  return eventsOf(told).map((event) => ({ id: messageId(told, factId, event.type), event }));
}

const isWanted = ({ accounts, kinds }: WebhookEndpoint, { type, data }: WebhookEvent): boolean =>
  (kinds === undefined || kinds.includes(type)) &&
  (accounts === undefined || accounts.includes(data.account));

/** The endpoint's answers to the messages of an entry, and the last refusal among them. */
interface EntryAnswers {
  readonly answers: readonly NewAnswer[];
  readonly refused?: Refused & Attempt;
}

/** Sends the messages of one entry. Stops at a refused message that is sent again later, but not at one that is given up. */
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
  /** The number of the entry's refusals. */
  readonly attempts: number;
  /** The wait before the next attempt; `undefined` if the entry is given up. */
  readonly waitMs: number | undefined;
}

function attemptOf(leased: LeasedWebhooks, from: number, { retryAfterMs, isGivenUp }: Refused): Attempt {
  const before = from === leased.from ? leased.attempts : 0;
  if (isGivenUp === true) return { attempts: before + 1, waitMs: undefined };
  // A refused probe counts against the endpoint, not against the session.
  if (leased.isProbe) return { attempts: before, waitMs: 0 };
  return { attempts: before + 1, waitMs: waitOfMessage(before + 1, Math.random(), retryAfterMs) };
}

/** Schedules another attempt for a refused entry and all later ones, or gives the entry up. Returns true if an attempt is scheduled. */
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
 * Returns the wait in milliseconds after that many refusals, or `undefined` if the message is given up. `random`, 0 to 1, adds up to a
 * tenth.
 */
export function waitOfMessage(refusals: number, random: number, retryAfterMs = 0): number | undefined {
  if (refusals > FIRST_WAITS_MS.length + HOURLY_ATTEMPTS) return undefined;
  return Math.round(Math.max(FIRST_WAITS_MS[refusals - 1] ?? HOUR_MS, retryAfterMs) * (1 + random / 10));
}
