import type { SessionRequest, SessionSnapshot } from '../contract';
import { ERROR_CODES, ServiceError, type ServiceFailure } from '../errors';
import type { CreateOutcome } from './create-outcome';
import type { CallOptions, SessionCallOptions } from './options';
import type { Pace } from './pace';
import type { PaymentService } from './payment-service';
import type { IdentifiedSession } from './session-answer';

export interface PollOptions extends SessionCallOptions {
  /** Never held back: somebody waits for it. @default false */
  readonly urgent?: boolean;
}

/**
 * The payment service at the account's pace. Creates and polls that come too soon fail with `SERVICE_PAUSED`, with
 * nothing sent; cancels are never held back.
 */
export class PacedService {
  constructor(
    private readonly service: PaymentService,
    private readonly pace: Pace,
  ) {}

  /** As `PaymentService.authenticate`: needs no turn of its own, since one token serves all calls. */
  authenticate(options?: CallOptions): Promise<void> {
    return this.service.authenticate(options);
  }

  /** As `PaymentService.createSession`. */
  async createSession(request: SessionRequest): Promise<CreateOutcome> {
    const waitMs = this.pace.ask();
    if (waitMs > 0) return { outcome: 'notSent', failure: paused(waitMs) };
    const outcome = await this.service.createSession(request);
    if (outcome.outcome === 'created') this.pace.succeeded();
    else this.pace.failed(outcome.failure);
    return outcome;
  }

  /** As `PaymentService.sessionDetails`. */
  async sessionDetails(sessionId: string, options: PollOptions = {}): Promise<SessionSnapshot> {
    if (options.urgent === true) {
      this.pace.pass();
    } else {
      const waitMs = this.pace.ask();
      if (waitMs > 0) throw new ServiceError(paused(waitMs));
    }
    return await this.#told(options.signal, () => this.service.sessionDetails(sessionId, options));
  }

  /** As `PaymentService.identifySession`: a person or a cancel waits for it, so it is never held back. */
  async identifySession(sessionId: string, options?: SessionCallOptions): Promise<IdentifiedSession> {
    this.pace.pass();
    return await this.#told(undefined, () => this.service.identifySession(sessionId, options));
  }

  /** As `PaymentService.cancelSession`. */
  async cancelSession(sessionId: string, options?: SessionCallOptions): Promise<SessionSnapshot> {
    this.pace.pass();
    return await this.#told(undefined, () => this.service.cancelSession(sessionId, options));
  }

  checkoutUrl(sessionId: string): string {
    return this.service.checkoutUrl(sessionId);
  }

  /** Tells the pace how a call went; one that its caller gave up says nothing about the service. */
  async #told<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    try {
      const result = await call();
      this.pace.succeeded();
      return result;
    } catch (error) {
      if (error instanceof ServiceError && signal?.aborted !== true) this.pace.failed(error.failure);
      throw error;
    }
  }
}

function paused(retryAfterMs: number): ServiceFailure {
  const { meaning, remedy } = ERROR_CODES.SERVICE_PAUSED;
  return { code: 'SERVICE_PAUSED', message: `${meaning} ${remedy}`, retryAfterMs };
}
