import { AsyncLocalStorage } from 'node:async_hooks';
import { WebhookSender } from '../../ledger/webhooks/send-webhooks';
import type { Delivery, WebhookMessage } from '../../ledger/webhooks/post';
import { signatureOf } from '../../ledger/webhooks/signature';
import type { PaymentLedger, WebhookEvent, WebhookKind } from '../../ledger';
import type { Duration } from '../../src/protocol/duration';
import { PaysessionError } from '../../src/errors';
import { soon } from '../../src/sessions';
import { secretOf } from '../../src/settings/webhooks/secret';
import type { WorldOutbox } from '../ledger-server';
import { milliseconds } from './payor';
import type { TestedCode } from './tested-code';
import type { VirtualTime } from './virtual-time';

/** A webhook as the world's endpoint received it. */
export interface ReceivedWebhook {
  /** The message's id, which is the same each time that the message is sent. */
  readonly id: string;
  /** The virtual time at which it was received; ISO 8601, UTC. */
  readonly at: string;
  /** The content: what happened, and the session's state after it. */
  readonly event: WebhookEvent;
  /** The body as it was signed: JSON of `event`. */
  readonly body: string;
  /**
   * The headers of Standard Webhooks, `webhook-id`, `webhook-timestamp` and `webhook-signature`, and `content-type`. The timestamp is real
   * time, because receivers compare it with their own clock.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** The webhooks to find. */
export interface WebhookFilter {
  /** The session's key. @default any */
  readonly key?: string;
  /** The kind of webhook. @default any */
  readonly type?: WebhookKind;
}

/** A way for the world's endpoint to fail. `reset` and `hang` send no answer. A hang takes no time: it counts as a timeout at once. */
export type WebhookFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' };

/** Receives a webhook, and returns the HTTP status of the answer. If it throws, the answer is 500. */
export type WebhookReceiver = (webhook: ReceivedWebhook) => number | Promise<number>;

/**
 * An endpoint that receives the webhooks of all sessions of the world, as soon as the ledger records what they report. A refused message is
 * sent again in virtual time, at the same intervals as in production.
 */
export interface WorldWebhooks {
  /** The secret that signs the messages, for your own receiver. */
  readonly secret: string;
  /** Returns the webhooks that were answered with 2xx, oldest first. */
  received(filter?: WebhookFilter): readonly ReceivedWebhook[];
  /**
   * Returns the first matching webhook, and lets time skip until it has been received.
   *
   * @param within the longest virtual time to wait @default '30d'
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if it has not been received within that time, or if your own code fails each time
   * it is tried
   * @throws {@link PaysessionError} `TEMPORAL_STUCK` if time cannot skip
   * @throws `RangeError` if `within` is malformed or above 366 days
   */
  waitFor(filter: WebhookFilter, within?: Duration): Promise<ReceivedWebhook>;
  /**
   * Makes the next deliveries fail: `fail({ kind: 'status', status: 503 }, 3)`.
   *
   * @param times a whole number from 1 @default 1
   * @throws `RangeError` if `times` is not such a number, or if more than 1000 failures would then be pending
   */
  fail(fault: WebhookFault, times?: number): void;
  /** Removes every failure that has not happened yet. */
  clearFaults(): void;
  /** From now on, hands each message to your own receiver, whose status is the answer. @default every message is answered with 204 */
  receiveWith(receiver: WebhookReceiver): void;
}

/** The webhooks of a world, and the means to deliver them. */
export interface DeliveredWebhooks {
  readonly webhooks: WorldWebhooks;
  /** Delivers what is due now. Rejects if that fails. */
  deliver(): Promise<void>;
  /** Does the same after entries were recorded, but waits half a second at most. Never rejects: the next `deliver` throws the failure. */
  afterRecord(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a world that its webhooks use. */
export interface WebhooksContext {
  readonly ledger: PaymentLedger;
  readonly outbox: WorldOutbox;
  readonly time: VirtualTime;
  readonly code: TestedCode;
}

const SECRET = secretOf(Buffer.alloc(32, 'paysession'));
const ENDPOINT = { name: 'world', url: 'http://127.0.0.1/webhooks', secrets: [SECRET] };

/** Shorter than the longest wait of a worker for a record in the ledger, one second. */
const RECORDS_WITHIN_MS = 500;
/** Longer than a retry takes on a slow machine. Time does not skip until then, and the receiver may wait for time. */
const RETRIES_WITHIN_MS = 2_000;

const MOST_TIMES = 1_000;
const WAITS_FOR = '30d';

/** Registers the world's endpoint, which receives webhooks for all entries that are recorded from now on. */
export async function startWorldWebhooks(context: WebhooksContext): Promise<DeliveredWebhooks> {
  await context.ledger.webhookEndpoints.register([ENDPOINT]);
  return new Delivering(context);
}

class Delivering implements DeliveredWebhooks {
  readonly #context: WebhooksContext;
  readonly #sender: WebhookSender;
  readonly #over = new AbortController();
  readonly #received: ReceivedWebhook[] = [];
  readonly #faults: WebhookFault[] = [];
  readonly #alarms = new Set<number>();
  readonly #arrived = new Set<() => void>();
  /** Set in the calls that a receiver makes. */
  readonly #receiving = new AsyncLocalStorage<true>();
  #receiver: WebhookReceiver = () => 204;
  /** The milliseconds that the virtual time was ahead when `outbox.hurry` was last called. */
  #aheadMs: number;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #failure: Error | undefined;

  constructor(context: WebhooksContext) {
    this.#context = context;
    this.#aheadMs = context.time.aheadMs;
    this.#sender = new WebhookSender({
      ledger: context.ledger,
      endpoints: [ENDPOINT],
      post: { send: (_endpoint, message) => this.#receive(message), close: () => Promise.resolve() },
      onEvent: () => undefined,
      signal: this.#over.signal,
    });
  }

  readonly webhooks: WorldWebhooks = {
    secret: SECRET,
    received: (filter = {}) => this.#received.filter((webhook) => matches(webhook, filter)),
    waitFor: (filter, within = WAITS_FOR) => this.#waitFor(filter, within),
    fail: (fault, times = 1) => {
      if (!Number.isInteger(times) || times < 1 || this.#faults.length + times > MOST_TIMES)
        throw new RangeError(`times must be a whole number from 1, and all failures ${MOST_TIMES} at most`);
      this.#faults.push(...Array.from({ length: times }, () => fault));
    },
    clearFaults: () => {
      this.#faults.length = 0;
    },
    receiveWith: (receiver) => {
      this.#receiver = receiver;
    },
  };

  async deliver(): Promise<void> {
    const delivered = this.#deliver();
    // A receiver that lets time pass would wait for itself.
    if (this.#receiving.getStore() === undefined) await delivered;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  afterRecord(): Promise<void> {
    return this.#deliverWithin(RECORDS_WITHIN_MS);
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#running;
    await this.#context.outbox.close();
  }

  /**
   * Delivers while time does not skip. Waits `withinMs` at most for a slow receiver: the receiver may itself wait for time, or for a
   * session that waits for this delivery. Never rejects.
   */
  async #deliverWithin(withinMs: number): Promise<void> {
    const isUnderWay = this.#running !== undefined;
    const delivered = this.#deliver();
    if (!isUnderWay) await soon(delivered, withinMs);
  }

  /** Delivers what is due. If a delivery is under way, delivers again after it. Never rejects. */
  #deliver(): Promise<void> {
    this.#isAskedAgain = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#deliverAll();
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
      this.#running = undefined;
    }
  }

  async #deliverAll(): Promise<void> {
    const { ledger, outbox, time } = this.#context;
    while (this.#isAskedAgain && !this.#over.signal.aborted) {
      this.#isAskedAgain = false;
      const aheadMs = time.aheadMs;
      if (aheadMs !== this.#aheadMs) await outbox.hurry(aheadMs - this.#aheadMs);
      this.#aheadMs = aheadMs;
      await this.#sender.deliverDue();
      const nextMs = await ledger.webhookDeliveries.nextTryInMs(ENDPOINT.name);
      if (nextMs !== undefined) await this.#deliverLater(Math.max(0, Math.ceil(nextMs)) + 1);
    }
    // In the same step as the loop's last check: a request that comes later starts a new delivery.
    this.#running = undefined;
  }

  /** Delivers again this much later, unless a delivery is planned by then. Time does not skip past that moment. */
  async #deliverLater(afterMs: number): Promise<void> {
    const { time } = this.#context;
    const atMs = time.now() + afterMs;
    if ([...this.#alarms].some((planned) => planned <= atMs)) return;
    this.#alarms.add(atMs);
    await time.plan(afterMs, async () => {
      this.#alarms.delete(atMs);
      await this.#deliverWithin(RETRIES_WITHIN_MS);
    });
  }

  async #receive({ id, body }: WebhookMessage): Promise<Delivery> {
    const timestamp = Math.floor(Date.now() / 1_000);
    const webhook: ReceivedWebhook = {
      id,
      at: new Date(this.#context.time.now()).toISOString(),
      event: JSON.parse(body) as WebhookEvent,
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf([SECRET], { id, timestamp, body }),
      },
    };
    const fault = this.#faults.shift();
    if (fault?.kind === 'reset') return { delivered: false, outcome: 'ECONNRESET' };
    if (fault?.kind === 'hang') return { delivered: false, outcome: 'TimeoutError' };
    const status = fault?.status ?? (await this.#statusFor(webhook));
    const outcome = `HTTP ${status}`;
    if (status < 200 || status >= 300)
      return { delivered: false, outcome, ...(status === 410 && { isGone: true }) };
    this.#received.push(webhook);
    for (const arrived of this.#arrived) arrived();
    return { delivered: true, outcome };
  }

  async #statusFor(webhook: ReceivedWebhook): Promise<number> {
    try {
      return await this.#receiving.run(true, () => this.#receiver(webhook));
    } catch {
      return 500;
    }
  }

  async #waitFor(filter: WebhookFilter, within: Duration): Promise<ReceivedWebhook> {
    const { time, code } = this.#context;
    const find = () => this.#received.find((webhook) => matches(webhook, filter));
    await this.deliver();
    const known = find();
    if (known !== undefined) return known;
    const endsAtMs = time.now() + milliseconds(within);
    return code.unlessItFails(async (over) => {
      let isLate = (): void => undefined;
      const arriving = new Promise<ReceivedWebhook>((resolve, reject) => {
        const arrived = () => {
          const webhook = find();
          if (webhook !== undefined) resolve(webhook);
        };
        this.#arrived.add(arrived);
        over.addEventListener('abort', () => this.#arrived.delete(arrived));
        isLate = () => {
          reject(this.#notReceived(filter, within));
        };
      });
      const needsTime = async () => {
        await this.deliver();
        if (time.now() < endsAtMs) return true;
        isLate();
        return false;
      };
      return time.whileSkipping(() => arriving, needsTime, over);
    });
  }

  #notReceived(filter: WebhookFilter, within: Duration): PaysessionError {
    const wanted = JSON.stringify(filter);
    const received = this.#received.map(({ event }) => `${event.type} of ${event.data.key}`).slice(-20);
    const list = received.length === 0 ? 'none' : received.join(', ');
    return new PaysessionError(
      'TESTED_CODE_FAILED',
      `No webhook like ${wanted} was received within ${typeof within === 'number' ? `${within} ms` : within}. The last that were received: ${list}.`,
    );
  }
}

const matches = ({ event }: ReceivedWebhook, { key, type }: WebhookFilter): boolean =>
  (key === undefined || event.data.key === key) && (type === undefined || event.type === type);
