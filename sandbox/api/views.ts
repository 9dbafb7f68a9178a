import type { BankAccount } from '../clients';
import type { CodeMember } from '../options';
import { maskedNumber, type SandboxSession } from '../sessions/session';

/** A JSON reply of the service about a session. */
export type SessionReply = Readonly<Record<string, unknown>>;

/** The payor's account in the details of a session if no payor chose an account in the flow, for example in a scenario. */
const PAYOR_ACCOUNT: BankAccount = {
  institutionCode: '003',
  transitNumber: '00042',
  accountNumber: '1000004321',
};

/**
 * Returns the reply of the cancel endpoint (contract rule A54 in docs/contract.md). For an e-Transfer, it has no detail code (contract
 * A46).
 */
export function outcomeView(session: SandboxSession, codeMember: CodeMember): SessionReply {
  const { sessionId, referenceId, state } = session;
  return {
    sessionId,
    referenceId,
    status: state.status,
    ...(state.code !== undefined && { [codeMember]: state.code }),
  };
}

/** Returns the reply of the status endpoint (contract A52). */
export function statusView(session: SandboxSession, codeMember: CodeMember): SessionReply {
  return { ...outcomeView(session, codeMember), amount: session.state.amount };
}

/** Returns the reply of the details endpoint (contract A50, and A51's extra fields). */
export function detailsView(session: SandboxSession, codeMember: CodeMember): SessionReply {
  const { type, direction, options, destination, toAccount, state } = session;
  return {
    ...statusView(session, codeMember),
    type,
    direction,
    currency: 'CAD',
    createdAt: new Date(state.createdAtMs).toISOString(),
    step: state.step,
    options,
    ...(state.accountCaptured && { payor: { account: maskedAccount(state.account ?? PAYOR_ACCOUNT) } }),
    ...(destination !== null && {
      payee: {
        account: { ...maskedAccount(destination), ...(toAccount !== null && { accountLabel: toAccount }) },
      },
    }),
  };
}

/** Returns an account with its number masked (contract A36). */
function maskedAccount(account: BankAccount) {
  const { institutionCode, transitNumber } = account;
  return { institutionCode, transitNumber, accountNumber: maskedNumber(account) };
}
