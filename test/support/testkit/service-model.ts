// A simple model of a session at the payment service. It shares no code with `sandbox/sessions/transitions.ts`, so it can check that
// file.

export type Kind = 'EFT' | 'GEFT' | 'e-Transfer';

/** For each action of the payor, the state of an open session after it. `undefined` means that the state does not change. */
const LEADS_TO = {
  arrives: undefined,
  failsLogin: 'Failed/EFT0401',
  failsIdentity: 'Failed/EFT0403',
  hasInsufficientFunds: 'Failed/EFT0404',
  validatesBank: 'Completed/EFT0302',
  signsPad: undefined,
  completes: 'Completed/EFT0301',
} as const;

export type PayorAction = keyof typeof LEADS_TO;

export const PAYOR_ACTIONS = Object.keys(LEADS_TO) as PayorAction[];

export const IDLE_EXPIRY_MIN = 70;

interface Planned {
  readonly atMin: number;
  readonly action: PayorAction;
}

/** The model of a session. Its times are in minutes since the start of the sequence. */
export class ServiceModel {
  /** Each state that the session has been in, as `status/code`. */
  readonly states: string[];
  changedAtMin: number;
  #touchedAtMin: number;
  #plan: Planned[] = [];

  constructor(
    readonly kind: Kind,
    nowMin: number,
  ) {
    this.states = [this.#named('Initiated/EFT0101')];
    this.changedAtMin = nowMin;
    this.#touchedAtMin = nowMin;
  }

  get state(): string {
    return this.states.at(-1) ?? '';
  }

  get status(): string {
    return this.state.split('/')[0] ?? '';
  }

  isOpen(): boolean {
    return this.status === 'Initiated';
  }

  isUnsigned(): boolean {
    return this.state === 'Completed/EFT0302';
  }

  /** Carries out all due events, in their order. */
  settle(nowMin: number): void {
    for (;;) {
      const [planned] = this.#plan;
      const expiresAtMin = this.isOpen() ? this.#touchedAtMin + IDLE_EXPIRY_MIN : Infinity;
      const dueAtMin = Math.min(planned?.atMin ?? Infinity, expiresAtMin);
      if (dueAtMin > nowMin) return;
      if (planned?.atMin === dueAtMin) {
        this.#plan.shift();
        this.act(planned.action, dueAtMin);
      } else {
        this.become('Expired/EFT0601', dueAtMin);
      }
    }
  }

  /** Carries out an action of the payor. If the session refuses the action, returns the reason. */
  act(action: PayorAction, nowMin: number): string | undefined {
    if (this.isUnsigned() && action === 'signsPad') {
      this.become('Completed/EFT0301', nowMin);
      return undefined;
    }
    if (!this.isOpen()) return 'ended';
    if (this.kind === 'e-Transfer' && ['validatesBank', 'signsPad'].includes(action)) return 'wrongKind';
    if (action === 'signsPad') return 'bankNotValidated';
    this.#touchedAtMin = nowMin;
    const state = LEADS_TO[action];
    if (state !== undefined) this.become(state, nowMin);
    return undefined;
  }

  plan(action: PayorAction, atMin: number): void {
    this.#plan = [...this.#plan, { action, atMin }].sort((one, other) => one.atMin - other.atMin);
  }

  /** True if an action of the payor is planned for exactly that minute. */
  isPlanned(atMin: number): boolean {
    return this.#plan.some((planned) => planned.atMin === atMin);
  }

  become(state: string, nowMin: number): void {
    this.states.push(this.#named(state));
    this.changedAtMin = nowMin;
  }

  /** Returns a state as `status/code`, or as the status alone for an e-Transfer, which has no codes. */
  #named(state: string): string {
    return this.kind === 'e-Transfer' ? state.replace(/\/.*/, '/') : state;
  }
}
