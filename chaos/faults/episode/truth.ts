import type { Sandbox, SandboxSession } from '../../../sandbox';
import type { PayorAct, SessionPlan } from '../plan/plan';
import type { Told } from '../service/exchange';

/** The true states of one key's sessions at the payment service. Also plays their payor. */
export class Truth {
  readonly #states = new Map<string, Told[]>();
  readonly #overAtMs = new Map<string, number>();
  readonly #sandbox: Sandbox;
  readonly #kind: SessionPlan['kind'];

  constructor(sandbox: Sandbox, kind: SessionPlan['kind']) {
    this.#sandbox = sandbox;
    this.#kind = kind;
  }

  /** Performs an act of the payor. Returns true if it changed the session. */
  act(sessionId: string, planned: PayorAct): boolean {
    const isETransfer = this.#kind === 'e-Transfer';
    // An e-Transfer has no agreement to sign.
    if (isETransfer && planned === 'bankValidated') return false;
    const result = this.#sandbox.act(
      sessionId,
      isETransfer && planned === 'padSigned' ? 'completed' : planned,
    );
    if (!result.accepted) return false;
    this.#begun(sessionId).push(stateOf(result.session));
    if (isOver(result.session)) this.#overAtMs.set(sessionId, Date.now());
    return true;
  }

  /** Returns the states that a session has had, oldest first. A state that follows an equal state is left out. */
  states(session: SandboxSession): readonly Told[] {
    const known = [...this.#begun(session.sessionId), stateOf(session)];
    return known.filter(
      (one, index) => index === 0 || JSON.stringify(one) !== JSON.stringify(known[index - 1]),
    );
  }

  /** Returns the time at which an act of the payor ended the session, in milliseconds since 1970. */
  overAtMs(sessionId: string): number | undefined {
    return this.#overAtMs.get(sessionId);
  }

  #begun(sessionId: string): Told[] {
    const code = this.#kind === 'e-Transfer' ? {} : { code: 'EFT0101' };
    const states = this.#states.get(sessionId) ?? [{ status: 'Initiated', ...code }];
    this.#states.set(sessionId, states);
    return states;
  }
}

const stateOf = ({ state: { status, code } }: SandboxSession): Told => ({
  status,
  ...(code !== undefined && { code }),
});

const isOver = ({ state: { status, code } }: SandboxSession): boolean =>
  status !== 'Initiated' && code !== 'EFT0302';
