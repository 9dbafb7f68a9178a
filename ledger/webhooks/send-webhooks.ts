import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPaysessionError } from '../../src/errors';
import type { PaymentLedger } from '../payment-ledger';
import { waitOfEndpoint } from './back-off';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import type { DeliveryEvent } from './delivery-event';
import type { Asked, HeldWebhooks } from './outbox';
import type { Delivery, WebhookPost } from './post';
import { fingerprintOf } from './signature';
import { tellSession } from './tell-session';

/** What a sender has to go on. */
export interface SendWebhooksOptions {
  readonly ledger: PaymentLedger;
  readonly endpoints: readonly WebhookEndpoint[];
  readonly post: WebhookPost;
  readonly onEvent: (event: DeliveryEvent) => void;
  /** Endpoints that are forgotten once nobody sends to them any more. @default false */
  readonly isPassing?: boolean;
  /** Ends the work: what is under way ends first. */
  readonly signal: AbortSignal;
}

/** How often the outbox is asked. */
const LOOK_EVERY_MS = 250;
const REGISTER_EVERY_MS = 15_000;
/** A third of the time that it would have otherwise. */
const RENEW_EVERY_MS = 5_000;
const AFTER_FAILURE_MS = 2_000;
/** The next probe of an endpoint after one that had nothing to send: it may get the same session again. */
const AFTER_WITHHELD_MS = 15_000;
/** So many sessions of one endpoint are told at once: a slow one holds up no other. */
const ROOM = 8;
/** Webhooks of so many sessions refused, and none taken in between, and an endpoint is down: one session may be refused for its own sake. */
const DOWN_AFTER = 5;

/**
 * Sends webhooks to endpoints until the signal aborts: each change at least once, those of one session in their order. Several may do so at
 * the same time, for the same endpoints or others. An endpoint that refuses holds up its own webhooks only.
 */
export async function sendWebhooks(options: SendWebhooksOptions): Promise<void> {
  await new WebhookSender(options).run();
}

/** What a sender knows of an endpoint. */
interface Sending {
  readonly endpoint: WebhookEndpoint;
  /** The fingerprint of the endpoint's settings. */
  readonly settings: string;
  /** Sessions in hand. */
  busy: number;
  /** Sessions whose webhooks it has refused since it took any last. */
  readonly refused: Set<string>;
  isDown: boolean;
  /** A running sender has it with another URL, other secrets or other filters. */
  differs: boolean;
  succeededAt: string | undefined;
  refusedAt: string | undefined;
  outcome: string | undefined;
}

const newSending = (endpoint: WebhookEndpoint): Sending => ({
  endpoint,
  settings: fingerprintOf(endpoint),
  busy: 0,
  refused: new Set(),
  isDown: false,
  differs: false,
  succeededAt: undefined,
  refusedAt: undefined,
  outcome: undefined,
});

class WebhookSender {
  readonly #options: SendWebhooksOptions;
  readonly #sendings: ReadonlyMap<string, Sending>;
  /** What is in hand, and its work. */
  readonly #underWay = new Map<HeldWebhooks, Promise<void>>();
  #registeredAtMs = -Infinity;
  #renewedAtMs = -Infinity;
  /** Wakes up the loop where room became free. */
  #wake = new AbortController();
  #isAway = false;

  constructor(options: SendWebhooksOptions) {
    this.#options = options;
    this.#sendings = new Map(options.endpoints.map((endpoint) => [endpoint.name, newSending(endpoint)]));
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const pauseMs = await this.#look();
      this.#wake = new AbortController();
      await sleep(pauseMs, undefined, { signal: AbortSignal.any([signal, this.#wake.signal]) }).catch(
        () => undefined,
      );
    }
    await Promise.all(this.#underWay.values());
  }

  /** Takes what there is room for; gives how long nothing else is to be done. */
  async #look(): Promise<number> {
    try {
      await this.#registerNowAndThen();
      await this.#renewNowAndThen();
      const taken = await this.#take();
      const { ledger, signal } = this.#options;
      for (const { webhooks, isProbe } of taken) {
        // It may have been released by this sender's own work, which ends.
        if (signal.aborted) await ledger.webhooks.release(webhooks);
        else this.#start(webhooks, isProbe);
      }
      this.#isAway = false;
      return taken.length > 0 ? 0 : LOOK_EVERY_MS;
    } catch (error) {
      this.#tellAway(error);
      return AFTER_FAILURE_MS;
    }
  }

  async #registerNowAndThen(): Promise<void> {
    if (performance.now() - this.#registeredAtMs < REGISTER_EVERY_MS) return;
    const { ledger, endpoints, isPassing = false, onEvent } = this.#options;
    await ledger.check();
    const known = await ledger.webhooks.register(endpoints, { isPassing });
    for (const [endpoint, sending] of this.#sendings) {
      const { differs, isDown } = known.get(endpoint) ?? { differs: false, isDown: false };
      if (differs && !sending.differs) onEvent({ kind: 'differs', endpoint });
      Object.assign(sending, { differs, isDown });
      await this.#writeDown(sending);
    }
    this.#registeredAtMs = performance.now();
  }

  async #renewNowAndThen(): Promise<void> {
    if (performance.now() - this.#renewedAtMs < RENEW_EVERY_MS) return;
    await this.#options.ledger.webhooks.renew(this.#underWay.keys());
    this.#renewedAtMs = performance.now();
  }

  async #writeDown(sending: Sending): Promise<void> {
    const { succeededAt, refusedAt, outcome } = sending;
    if (outcome === undefined) return;
    await this.#options.ledger.webhooks.seen(sending.endpoint.name, { succeededAt, refusedAt, outcome });
    sending.outcome = undefined;
  }

  async #take(): Promise<readonly { readonly webhooks: HeldWebhooks; readonly isProbe: boolean }[]> {
    const { webhooks } = this.#options.ledger;
    const askedOf = ({ endpoint, settings, busy }: Sending): Asked => ({
      endpoint: endpoint.name,
      settings,
      most: ROOM - busy,
    });
    const room = [...this.#sendings.values()].map(askedOf).filter(({ most }) => most > 0);
    const held = (await webhooks.take(room, randomUUID())).map((one) => ({ webhooks: one, isProbe: false }));
    for (const sending of this.#sendings.values()) {
      // Of several senders, the first one tries it.
      if (sending.busy > 0 || !sending.isDown) continue;
      const probe = await webhooks.takeProbe(askedOf(sending), randomUUID());
      if (probe !== undefined) held.push({ webhooks: probe, isProbe: true });
    }
    return held;
  }

  #start(webhooks: HeldWebhooks, isProbe: boolean): void {
    const sending = this.#sendings.get(webhooks.endpoint);
    if (sending === undefined) return;
    sending.busy += 1;
    const telling = this.#tell(sending, webhooks, isProbe)
      // Its time runs out, and whoever is there then takes it again.
      .catch((error: unknown) => {
        this.#tellAway(error);
      })
      .finally(() => {
        sending.busy -= 1;
        this.#underWay.delete(webhooks);
        this.#wake.abort();
      });
    this.#underWay.set(webhooks, telling);
  }

  async #tell(sending: Sending, webhooks: HeldWebhooks, isProbe: boolean): Promise<void> {
    const { ledger, post, onEvent } = this.#options;
    const { refused, delivered, isWithheld } = await tellSession({
      outbox: ledger.webhooks,
      environment: ledger.environment,
      endpoint: sending.endpoint,
      webhooks,
      isProbe,
      signal: this.#options.signal,
      send: (message) => post.send(sending.endpoint, message),
      onEvent: (event) => {
        this.#count(sending, event);
        onEvent(event);
      },
    });
    if (refused !== undefined) await this.#judge(sending, refused, isProbe);
    else if (isProbe && delivered > 0) await this.#isUp(sending);
    // It wants none of this session's webhooks: another one will show.
    else if (isProbe)
      await ledger.webhooks.probeAgain(sending.endpoint.name, isWithheld === true ? AFTER_WITHHELD_MS : 0);
  }

  #count(sending: Sending, event: DeliveryEvent): void {
    const now = new Date().toISOString();
    if (event.kind === 'delivered') {
      sending.refused.clear();
      Object.assign(sending, { succeededAt: now, outcome: 'delivered' });
    } else if (event.kind === 'refused') {
      sending.refused.add(event.key);
      Object.assign(sending, { refusedAt: now, outcome: event.outcome });
    }
  }

  async #isUp(sending: Sending): Promise<void> {
    const { name } = sending.endpoint;
    await this.#options.ledger.webhooks.isUp(name);
    sending.isDown = false;
    this.#options.onEvent({ kind: 'up', endpoint: name });
  }

  /** Decides by what an endpoint has refused whether it is down, or failing. */
  async #judge(
    sending: Sending,
    refused: Extract<Delivery, { delivered: false }>,
    isProbe: boolean,
  ): Promise<void> {
    const { ledger, onEvent } = this.#options;
    const { name: endpoint } = sending.endpoint;
    const { outcome, retryAfterMs, isGone } = refused;
    const refusals = isProbe ? await ledger.webhooks.probeRefused(endpoint) : 1;
    const waitMs = waitOfEndpoint(refusals, Math.random(), retryAfterMs);
    if (isGone === true || waitMs === undefined) {
      if (await ledger.webhooks.isFailing(endpoint)) onEvent({ kind: 'failing', endpoint, outcome });
    } else if (isProbe) await ledger.webhooks.probeAgain(endpoint, waitMs);
    else if (sending.refused.size >= DOWN_AFTER) {
      sending.isDown = true;
      if (await ledger.webhooks.isDown(endpoint, waitMs)) onEvent({ kind: 'down', endpoint, outcome });
    }
  }

  #tellAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const code = isPaysessionError(error) ? error.code : 'unexpected';
    const message = error instanceof Error ? error.message : String(error);
    this.#options.onEvent({ kind: 'away', code, message });
  }
}
