import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { PaymentLedger } from '../payment-ledger';
import { described } from '../postgres/failures';
import { deliverSession } from './deliver-session';
import type { DeliveryEvent } from './delivery-event';
import { fingerprintOf, type LastAnswers } from './endpoints';
import type { LeasedWebhooks } from './outbox';
import type { WebhookPost } from './post';
import { sendOps } from './send-ops';

/** Options of {@link sendWebhooks}. */
export interface SendWebhooksOptions {
  /** The ledger whose entries are sent as webhooks. */
  readonly ledger: PaymentLedger;
  /** The endpoints that this sender delivers to. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** Sends a message to an endpoint. See {@link webhookPost}. */
  readonly post: WebhookPost;
  /** Receives the events about deliveries, endpoints and the ledger. */
  readonly onEvent: (event: DeliveryEvent) => void;
  /** True if the endpoints are temporary: the ledger removes them as soon as no running sender has them. @default false */
  readonly isPassing?: boolean;
  /** Stops the sender when it aborts. Messages about the current entries are sent first. */
  readonly signal: AbortSignal;
}

/** The pause after a poll of the outbox that found nothing. */
const POLL_EVERY_MS = 250;
/** The interval at which a sender renews its leases and registers its endpoints. It is a third of a lease. */
const HEARTBEAT_EVERY_MS = 5_000;
const AFTER_FAILURE_MS = 2_000;
/** The maximum number of sessions whose webhooks are sent to one endpoint at the same time. So a slow endpoint does not block others. */
const ROOM = 8;
/** If an endpoint has refused messages of this many sessions in a row, it is down. A single refusal may be due to the message itself. */
const DOWN_AFTER = 5;

/**
 * Sends webhooks to endpoints until the signal aborts. Sends each event at least once. The events of a session are sent in their order. An endpoint
 * that refuses webhooks does not delay other endpoints. Several senders may run at the same time, with the same or different endpoints. If the ledger
 * is unavailable, reports an `away` event and tries again.
 *
 * @example
 * ```ts
 * const post = webhookPost({ allowsLoopback: false });
 * const signal = AbortSignal.timeout(60_000);
 * await sendWebhooks({ ledger, endpoints, post, signal, onEvent: ({ kind }) => console.log(kind) });
 * await post.close();
 * ```
 */
export async function sendWebhooks(options: SendWebhooksOptions): Promise<void> {
  await Promise.all([new WebhookSender(options).run(), sendOps(options)]);
}

/** An endpoint, and the state of this sender's deliveries to the endpoint. */
interface Sending {
  readonly endpoint: WebhookEndpoint;
  /** The fingerprint of the endpoint's settings. */
  readonly settings: string;
  /** The number of sessions whose webhooks are currently being sent. */
  busy: number;
  /** The sessions whose webhooks the endpoint has refused since it last accepted one. */
  readonly refused: Set<string>;
  /** The endpoint's last answers, until they are recorded. */
  answers: LastAnswers;
  /** True if another running sender has the endpoint with other settings. */
  differs: boolean;
}

/** Sends webhooks to endpoints. `run` sends until the signal aborts. `deliverDue` sends only the webhooks that are due now. */
export class WebhookSender {
  readonly #options: SendWebhooksOptions;
  readonly #sendings: ReadonlyMap<string, Sending>;
  readonly #underWay = new Map<LeasedWebhooks, Promise<void>>();
  #heartbeatAtMs = -Infinity;
  /** Ends the pause of the loop in `run`, when a delivery has ended. */
  #wake = new AbortController();
  #isAway = false;
  #isUncleaned = false;
  #cleaning: Promise<void> | undefined;

  constructor(options: SendWebhooksOptions) {
    this.#options = options;
    this.#sendings = new Map(
      options.endpoints.map((endpoint) => {
        const settings = fingerprintOf(endpoint);
        const { name } = endpoint;
        return [name, { endpoint, settings, busy: 0, refused: new Set(), answers: {}, differs: false }];
      }),
    );
  }

  /** Sends until the signal aborts. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const isOver = (): boolean => signal.aborted;
    const wake = (): void => {
      this.#wake.abort();
    };
    signal.addEventListener('abort', wake, { once: true });
    while (!isOver()) {
      const pauseMs = await this.#poll();
      this.#wake = new AbortController();
      if (isOver()) break;
      await sleep(pauseMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    }
    await Promise.all([...this.#underWay.values(), this.#cleaning]);
    // A failure is ignored here. Only the times in the list of endpoints would be older.
    await this.#recordAnswers().catch(() => undefined);
  }

  /** Starts the deliveries that are due, if there is room. Returns the time until the next poll. */
  async #poll(): Promise<number> {
    try {
      if (performance.now() - this.#heartbeatAtMs >= HEARTBEAT_EVERY_MS) await this.#heartbeat();
      const count = await this.#startDue();
      // If deliveries have just started, they may still find the ledger unavailable.
      if (count === 0) this.#isAway = false;
      return count > 0 ? 0 : POLL_EVERY_MS;
    } catch (error) {
      this.#reportAway(error);
      return AFTER_FAILURE_MS;
    }
  }

  /**
   * Delivers the webhooks that are due now. The endpoints must already be registered. Throws the ledger's error if the outbox cannot be read. If
   * deliveries fail, reports the first error as an `away` event.
   */
  async deliverDue(): Promise<void> {
    while ((await this.#startDue()) > 0) await Promise.all(this.#underWay.values());
  }

  /** Starts the deliveries that are due, if there is room. Returns their number. */
  async #startDue(): Promise<number> {
    const { ledger, signal } = this.#options;
    const asked = [...this.#sendings.values()]
      .filter(({ busy }) => busy < ROOM)
      .map(({ endpoint: { name }, settings, busy }) => ({ endpoint: name, settings, most: ROOM - busy }));
    const leased = await ledger.webhooks.take(asked, randomUUID());
    for (const one of leased) {
      // If the sender was stopped meanwhile, it releases what it has just leased.
      if (signal.aborted) await ledger.webhooks.release(one);
      else this.#start(one);
    }
    return signal.aborted ? 0 : leased.length;
  }

  /** Renews the leases, and records that this sender is running. */
  async #heartbeat(): Promise<void> {
    const { ledger, endpoints, isPassing = false, onEvent } = this.#options;
    await ledger.check();
    await ledger.webhooks.renew(this.#underWay.keys());
    const differing = await ledger.webhookEndpoints.register(endpoints, { isPassing });
    for (const [endpoint, sending] of this.#sendings) {
      const differs = differing.has(endpoint);
      if (differs && !sending.differs) onEvent({ kind: 'differs', endpoint });
      sending.differs = differs;
    }
    await this.#recordAnswers();
    this.#heartbeatAtMs = performance.now();
    this.#cleaning ??= this.#clean();
  }

  /** Records the endpoints' last answers, for the list of endpoints. */
  async #recordAnswers(): Promise<void> {
    const { webhookEndpoints } = this.#options.ledger;
    for (const [endpoint, sending] of this.#sendings) {
      const { answers } = sending;
      if (answers.outcome === undefined) continue;
      await webhookEndpoints.answered(endpoint, answers);
      if (sending.answers === answers) sending.answers = {};
    }
  }

  /**
   * Removes old deliveries and temporary endpoints. Webhooks do not wait for this. If it fails several times in a row, reports only the first
   * failure.
   */
  async #clean(): Promise<void> {
    const { ledger, onEvent } = this.#options;
    try {
      await ledger.webhookDeliveries.removeOld();
      await ledger.webhookEndpoints.forgetPassing();
      this.#isUncleaned = false;
    } catch (error) {
      if (!this.#isUncleaned) onEvent({ kind: 'notCleaned', ...described(error) });
      this.#isUncleaned = true;
    } finally {
      this.#cleaning = undefined;
    }
  }

  #start(leased: LeasedWebhooks): void {
    const sending = this.#sendings.get(leased.endpoint);
    if (sending === undefined) return;
    sending.busy += 1;
    const delivering = this.#deliver(sending, leased)
      .then(() => {
        this.#isAway = false;
      })
      // The row stays leased until the lease ends. After that, any sender can take it again.
      .catch((error: unknown) => {
        this.#reportAway(error);
      })
      .finally(() => {
        sending.busy -= 1;
        this.#underWay.delete(leased);
        this.#wake.abort();
      });
    this.#underWay.set(leased, delivering);
  }

  /** Delivers a session's webhooks. Decides from the answers if the endpoint is up, down or failing. */
  async #deliver(sending: Sending, leased: LeasedWebhooks): Promise<void> {
    const { ledger, post, signal, onEvent } = this.#options;
    const { endpoint } = sending;
    const { name } = endpoint;
    const { delivered, refused } = await deliverSession({
      ledger,
      endpoint,
      leased,
      signal,
      send: (message) => post.send(endpoint, message),
      onEvent: (event) => {
        noteAnswer(sending, event);
        onEvent(event);
      },
    });
    const { webhookEndpoints } = ledger;
    if (leased.isProbe && delivered > 0 && refused?.isGone !== true) {
      await webhookEndpoints.acceptsAgain(name);
      onEvent({ kind: 'up', endpoint: name });
    } else if (refused !== undefined) {
      if (!leased.isProbe && refused.isGone !== true && sending.refused.size < DOWN_AFTER) return;
      const state = await webhookEndpoints.refusesAll(name, refused);
      if (state !== undefined) onEvent({ kind: state, endpoint: name, outcome: refused.outcome });
    } else if (leased.isProbe) await webhookEndpoints.probeAgain(name);
  }

  /** Reports that the ledger is unavailable, unless that was already reported. */
  #reportAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.onEvent({ kind: 'away', ...described(error) });
  }
}

function noteAnswer(sending: Sending, event: DeliveryEvent): void {
  const now = new Date().toISOString();
  if (event.kind === 'delivered') {
    sending.refused.clear();
    sending.answers = { ...sending.answers, succeededAt: now, outcome: 'delivered' };
  } else if (event.kind === 'refused') {
    sending.refused.add(event.key);
    sending.answers = { ...sending.answers, refusedAt: now, outcome: event.outcome };
  }
}
