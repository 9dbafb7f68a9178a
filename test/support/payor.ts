import type { PlainAction, Sandbox } from '../../sandbox';

/** The person at the hosted flow, as in the testing kit. Acts happen at once, and throw where the session refuses them. */
export interface SandboxPayor {
  /** Opens the page. */
  arrives(): void;
  /** Pays: `Completed`/`EFT0301`. */
  completes(): void;
  /** Has the bank account validated: `Completed`/`EFT0302` until the PAD agreement is signed. */
  validatesBank(): void;
  /** Signs the PAD agreement: `Completed`/`EFT0301`. */
  signsPad(): void;
}

export function payorOf(sandbox: Sandbox, sessionId: string): SandboxPayor {
  const act = (action: PlainAction): void => {
    const result = sandbox.act(sessionId, action);
    if (!result.accepted) throw new Error(`the session refuses its payor's ${action}: ${result.reason}`);
  };
  return {
    arrives: () => {
      act('payorStarted');
    },
    completes: () => {
      act('completed');
    },
    validatesBank: () => {
      act('bankValidated');
    },
    signsPad: () => {
      act('padSigned');
    },
  };
}
