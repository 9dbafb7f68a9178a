import type { SandboxSession, FlowProgress } from '../sessions/session';
import { isWithinBounds, type SessionEvent } from '../sessions/transitions';
import {
  ACCOUNT_IDS,
  type AccountId,
  ACCOUNTS,
  bankAccount,
  holderOf,
  type Institution,
  INSTITUTIONS,
  logIn,
} from '../sessions/banks';
import { isSamePerson } from './account-holder-is-payor';
import {
  STEP_BEFORE,
  stepOf,
  type StepOutcome,
  type FlowRules,
  goTo,
  applyEvents,
  type Problem,
  stay,
  type Submission,
} from './steps';

/**
 * Decides the next step of the hosted flow (contract rule A60 in docs/contract.md). Pure: the same session and submission always have the
 * same outcome.
 */
export function nextStep(session: SandboxSession, submission: Submission, rules: FlowRules): StepOutcome {
  const step = stepOf(session);
  const stepBefore = STEP_BEFORE[step];
  if (submission.action === 'leave') return stay(session, []);
  if (submission.action === 'back') return stepBefore ? goTo(session, stepBefore) : stay(session, []);
  switch (step) {
    case 'consent':
      return goTo(session, 'institution');
    case 'institution':
      return chooseInstitution(session, submission);
    case 'login':
      return tryLogin(session, submission, rules);
    case 'account':
      return chooseAccount(session, submission);
    case 'amount':
      return decideAmount(session, submission, rules);
    case 'offer':
      return applyEvents(session, amountEvents(session, made(session.flow.offer)));
    case 'accept':
      return acceptRequest(session, submission);
    case 'agreement':
      return sign(session, submission);
  }
}

function chooseInstitution(session: SandboxSession, submission: Submission): StepOutcome {
  const institution = INSTITUTIONS.find(({ id }) => id === submission.field('institution'));
  if (institution === undefined) {
    return stay(session, [{ field: 'institution', why: 'institutionMissing' }]);
  }
  return goTo(session, 'login', { institutionId: institution.id });
}

function tryLogin(session: SandboxSession, submission: Submission, rules: FlowRules): StepOutcome {
  const [username, password] = [submission.field('username'), submission.field('password')];
  if (username.trim() === '' || password === '') {
    return stay(session, [{ field: 'username', why: 'loginMissing' }]);
  }
  const loginId = logIn(username, password);
  if (loginId !== undefined) {
    return goTo(session, session.kind === 'e-Transfer' ? 'accept' : 'account', { loginId });
  }
  const failedLogins = session.flow.failedLogins + 1;
  if (failedLogins >= rules.maxLoginAttempts) return applyEvents(session, [{ type: 'loginFailed' }]);
  return stay({ ...session, flow: { ...session.flow, failedLogins } }, [
    { field: 'username', why: 'loginWrong' },
  ]);
}

function chooseAccount(session: SandboxSession, submission: Submission): StepOutcome {
  const accountId = accountOf(submission);
  if (accountId === undefined) return stay(session, [{ field: 'account', why: 'accountMissing' }]);
  const chosen = accountChosen(session, accountId);
  if (!isHolder(session)) return applyEvents(session, [chosen, { type: 'identityFailed' }]);
  return goTo(session, 'amount', { accountId }, [chosen]);
}

function decideAmount(session: SandboxSession, submission: Submission, rules: FlowRules): StepOutcome {
  const requested = requestedAmount(session, submission);
  if (typeof requested !== 'number') return stay(session, [requested]);
  const { balance, guaranteeLimit } = ACCOUNTS[made(session.flow.accountId)];
  if (requested > balance) return applyEvents(session, [{ type: 'insufficientFunds' }]);
  if (session.kind !== 'GEFT' || requested <= guaranteeLimit) {
    return applyEvents(session, amountEvents(session, requested));
  }
  return withoutGuarantee(session, requested, rules);
}

/**
 * Handles an amount that cannot be guaranteed. If the payor may enter the amount, the flow offers the highest amount that it can guarantee:
 * the next best offer. A preset amount gets no offer (contract A40, A41).
 */
function withoutGuarantee(session: SandboxSession, requested: number, rules: FlowRules): StepOutcome {
  const { state, flow } = session;
  if (state.amountOpen) {
    const offer = Math.min(ACCOUNTS[made(flow.accountId)].guaranteeLimit, state.bounds.maximumAmount);
    if (isWithinBounds(offer, state.bounds)) return goTo(session, 'offer', { offer });
  }
  if (rules.failWithoutGuarantee) return applyEvents(session, [{ type: 'noGuarantee' }]);
  if (!state.amountOpen) return applyEvents(session, amountEvents(session, requested));
  return stay(session, [{ field: 'amount', why: 'amountNotGuaranteed' }]);
}

/** Takes the account and the amount of an e-Transfer, which are on one page. */
function acceptRequest(session: SandboxSession, submission: Submission): StepOutcome {
  const accountId = accountOf(submission);
  const requested = requestedAmount(session, submission);
  if (accountId === undefined || typeof requested !== 'number') {
    return stay(session, [
      ...(accountId === undefined ? [{ field: 'account', why: 'accountMissing' } as const] : []),
      ...(typeof requested === 'number' ? [] : [requested]),
    ]);
  }
  const chosen = accountChosen(session, accountId);
  if (!isHolder(session)) return applyEvents(session, [chosen, { type: 'identityFailed' }]);
  const isShort = session.direction === 'DEBIT' && requested > ACCOUNTS[accountId].balance;
  return applyEvents(session, [
    chosen,
    ...(isShort ? [{ type: 'insufficientFunds' } as const] : amountEvents(session, requested)),
  ]);
}

function sign(session: SandboxSession, submission: Submission): StepOutcome {
  const problems: readonly Problem[] = [
    ...(submission.field('agreed') === 'yes' ? [] : [{ field: 'agreed', why: 'agreementMissing' } as const]),
    ...(submission.field('signature').trim() === ''
      ? [{ field: 'signature', why: 'signatureMissing' } as const]
      : []),
  ];
  return problems.length > 0 ? stay(session, problems) : applyEvents(session, [{ type: 'padSigned' }]);
}

/** Returns the preset amount if the payor may not change it (contract A40). Otherwise returns the amount in the form, or its problem. */
function requestedAmount({ state }: SandboxSession, submission: Submission): number | Problem {
  if (!state.amountOpen && state.amount !== null) return state.amount;
  const amount = parseAmount(submission.field('amount'));
  if (amount === undefined) return { field: 'amount', why: 'amountUnreadable' };
  return isWithinBounds(amount, state.bounds) ? amount : { field: 'amount', why: 'amountOutOfBounds' };
}

/** Returns the events of a confirmed amount: an e-Transfer is completed, and an EFT waits for its PAD agreement. */
function amountEvents({ kind, state }: SandboxSession, amount: number): readonly SessionEvent[] {
  return [
    ...(state.amountOpen ? [{ type: 'amountEntered', amount } as const] : []),
    { type: kind === 'e-Transfer' ? 'completed' : 'bankValidated' },
  ];
}

function accountOf(submission: Submission): AccountId | undefined {
  return ACCOUNT_IDS.find((id) => id === submission.field('account'));
}

function accountChosen({ flow }: SandboxSession, accountId: AccountId): SessionEvent {
  return { type: 'accountChosen', account: bankAccount(institutionOf(flow), accountId) };
}

/** Returns the bank that the payor chose. */
export function institutionOf({ institutionId }: FlowProgress): Institution {
  return made(INSTITUTIONS.find(({ id }) => id === institutionId));
}

/** Returns a choice that the payor must have made before the present step. */
function made<Choice>(choice: Choice | undefined): Choice {
  if (choice === undefined) throw new Error('The payor is at a step that follows a choice, and made none.');
  return choice;
}

function isHolder({ flow, payor, options }: SandboxSession): boolean {
  return isSamePerson(holderOf(made(flow.loginId), payor), payor, { guaranteed: options.guarantee.enable });
}

/**
 * Reads an amount as a payor types it: `25`, `25.00`, `25,00`, `1 250.00 $`. A comma is a decimal sign, so `1,250` has three decimals and
 * is refused, not guessed. Returns `undefined` for an invalid amount.
 */
export function parseAmount(text: string): number | undefined {
  const plain = text.replace(/[\s$]/gu, '').replace(',', '.');
  return /^\d{1,12}(\.\d{1,2})?$/.test(plain) ? Number(plain) : undefined;
}

/** Returns an amount as the payor may type it into a text field. */
export function amountText(amount: number, decimalSign: '.' | ','): string {
  return amount.toFixed(2).replace('.', decimalSign);
}
