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

/** A webhook that the world's endpoint has received. */
export interface ReceivedWebhook {
  /** The id of the message. If a message is sent again, it has the same id as the first time. */
  readonly id: string;
  /** The virtual time at which the webhook was received, in ISO 8601, UTC. */
  readonly at: string;
  /** The content of the webhook: what happened, and the session's state afterwards. */
  readonly event: WebhookEvent;
  /** The body of the request, over which the signature was made. It is the JSON of `event`. */
  readonly body: string;
  /**
   * The header `content-type`, and the headers of Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`. The timestamp
   * is real time and not virtual time, because receivers compare it with their own clock.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** Selects webhooks. */
export interface WebhookFilter {
  /** Selects the webhooks about the session with this key. @default all keys */
  readonly key?: string;
  /** Selects the webhooks of this kind. @default all kinds */
  readonly type?: WebhookKind;
}

/**
 * The way in which the world's endpoint fails. `status` answers with this HTTP status. `reset` breaks the connection. `hang` sends no answer
 * until the sender's timeout. No time passes for it: the delivery counts as timed out at once.
 */
export type WebhookFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'hang' };

/** Receives a webhook, and returns the HTTP status of the answer. If the function throws, the status is 500. */
export type WebhookReceiver = (webhook: ReceivedWebhook) => number | Promise<number>;

/**
 * The world's endpoint for webhooks. It receives the webhooks of all sessions of the world. A webhook is sent as soon as the ledger has
 * recorded the event. If the endpoint refuses a webhook, the world sends the webhook again, in virtual time, at the same intervals as in
 * production.
 */
export interface WorldWebhooks {
  /** The secret with which the webhooks are signed. Your own receiver verifies them with it. */
  readonly secret: string;
  /** Returns the webhooks that the endpoint accepted, with a status of 2xx, oldest first. */
  received(filter?: WebhookFilter): readonly ReceivedWebhook[];
  /**
   * Waits for the first webhook that matches, and returns it. Time skips meanwhile.
   *
   * @param within the longest virtual time to wait @default '30d'
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if no such webhook was received within that time
   * @throws {@link PaysessionError} `TESTED_CODE_FAILED` if your own code fails again and again
   * @throws {@link PaysessionError} `TEMPORAL_STUCK` if time cannot skip
   * @throws `RangeError` if `within` is malformed or above 366 days
   */
  waitFor(filter: WebhookFilter, within?: Duration): Promise<ReceivedWebhook>;
  /**
   * Makes the next deliveries fail: `fail({ kind: 'status', status: 503 }, 3)`.
   *
   * @param times the number of deliveries that fail @default 1
   * @throws `RangeError` if `times` is not a whole number from 1, or if there would then be more than 1000 failures that have not happened yet
   */
  fail(fault: WebhookFault, times?: number): void;
  /** Removes all failures that have not happened yet. */
  clearFaults(): void;
  /** Passes all further webhooks to your own receiver, and answers with the status that it returns. @default 204 for each webhook */
  receiveWith(receiver: WebhookReceiver): void;
}

/** The endpoint for webhooks of a world, and functions that deliver webhooks to the endpoint. */
export interface DeliveredWebhooks {
  readonly webhooks: WorldWebhooks;
  /** Delivers the webhooks that are due now. Rejects if the delivery itself fails, for instance because the ledger does not answer. */
  deliver(): Promise<void>;
  /**
   * Delivers the webhooks that are due, after entries were added to the ledger. Waits half a second at most. Never rejects: if it fails, the
   * next call of `deliver` rejects.
   */
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

/** The longest wait for a delivery after an entry was recorded. It is short, because a worker waits only a second for the ledger to record. */
const RECORDS_WITHIN_MS = 500;
/**
 * The longest wait for a repeated delivery. It is longer than such a delivery takes on a slow machine. It is limited, because time does not
 * skip meanwhile, and the receiver may itself wait for time to pass.
 */
const RETRIES_WITHIN_MS = 2_000;

const MOST_TIMES = 1_000;
const WAITS_FOR = '30d';

/** Registers the world's endpoint at the ledger. From now on, each entry of the ledger that is reported causes a webhook to the endpoint. */
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
  /** Set while a receiver runs, so that calls made by the receiver can be recognized. */
  readonly #receiving = new AsyncLocalStorage<true>();
  #receiver: WebhookReceiver = () => 204;
  /** The time by which virtual time was ahead of real time when `outbox.hurry` was last called, in milliseconds. */
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
    // If the receiver itself makes this call, for instance through `advance`, waiting for the delivery would never end.
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
   * Delivers the webhooks that are due. Waits `withinMs` at most: the receiver may itself wait for time to pass, or for a session that waits
   * for this delivery. Never rejects.
   */
  async #deliverWithin(withinMs: number): Promise<void> {
    const isUnderWay = this.#running !== undefined;
    const delivered = this.#deliver();
    if (!isUnderWay) await soon(delivered, withinMs);
  }

  /** Delivers the webhooks that are due. If a delivery is already running, delivers again after it. Never rejects. */
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
    // There is no `await` between the loop's last check and this line. So a call that comes after the check starts a new delivery.
    this.#running = undefined;
  }

  /** Plans a delivery for a later moment. Does nothing if a delivery is planned for an earlier one. Time does not skip past that moment. */
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
