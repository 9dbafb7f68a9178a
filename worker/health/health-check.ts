/** One thing that a worker needs for its work. */
export interface HealthCheck {
  /** `polling`: takes work. `engine`: the Temporal server answers. `credentials`: the payment service accepts an account. */
  readonly name: 'polling' | 'engine' | 'credentials';
  readonly ok: boolean;
  /** What was found: no secret, and nothing of a session. */
  readonly detail: string;
}

/** Checks that go on in the background. */
export interface HealthWatch {
  /** What was found last. */
  checks(): readonly HealthCheck[];
  /** Looks no more. */
  stop(): void;
}
