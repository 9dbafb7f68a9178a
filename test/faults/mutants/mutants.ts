import type { Patch } from '../processes/build';
import type { PlanName } from './plans';

/** A bug that is planted into the code that workers and callers run, and the plan that shows it. */
export interface Mutant {
  readonly name: string;
  readonly plan: PlanName;
  readonly patches: readonly Patch[];
}

const mutant = (name: string, plan: PlanName, file: string, from: string, to: string): Mutant => ({
  name,
  plan,
  patches: [{ file, from, to }],
});

export const MUTANTS: readonly Mutant[] = [
  mutant(
    'a create whose answer was lost counts as not sent',
    'creates',
    'src/service/answers/create-outcome.ts',
    "return exchange.sent ? 'unknown' : 'notSent';",
    "return 'notSent';",
  ),
  mutant(
    'a create that the service failed counts as not sent',
    'creates',
    'src/service/answers/create-outcome.ts',
    "status !== 408 ? 'rejected' : 'unknown'",
    "status !== 408 ? 'rejected' : 'notSent'",
  ),
  mutant(
    'an orphan is not recorded',
    'creates',
    'workflows/steps/create.ts',
    "session.apply({ type: 'possibleOrphan', detail: `create ${possibleOrphans + 1}: ${failure.code}` });",
    '',
  ),
  mutant(
    'a create that was not sent is recorded as an orphan',
    'creates',
    'workflows/steps/create.ts',
    'return backOff(session, failures, outcome.failure);',
    "session.apply({ type: 'possibleOrphan', detail: 'planted' }); return backOff(session, failures, outcome.failure);",
  ),
  mutant(
    'a person’s decision to create again forgets the orphan',
    'creates',
    'workflows/steps/create.ts',
    "session.apply({ type: 'possibleOrphan', detail }, { type: 'createUnparked' });",
    "void detail; session.apply({ type: 'createUnparked' });",
  ),
  mutant(
    'a parked session is not published',
    'creates',
    'src/protocol/problems.ts',
    "...(phase === 'parked' ? (['parked'] as const) : []),",
    '',
  ),
  mutant(
    'a worker that is lost with a create sent nothing',
    'lostWorker',
    'workflows/steps/create.ts',
    "outcome: isUnsent ? 'notSent' : 'unknown', failure",
    "outcome: isUnsent || !isUnsent ? 'notSent' : 'unknown', failure",
  ),
  mutant(
    'a create is not given to the workflow at its continuation',
    'floods',
    'workflows/continue-as-new.ts',
    '(session.input, session.record)',
    '(session.input, { ...session.record, sessionId: undefined } as never)',
  ),
  mutant(
    'a cancel is dropped at a continuation',
    'longCancels',
    'workflows/continue-as-new.ts',
    '(session.input, session.record)',
    '(session.input, { ...session.record, cancel: undefined } as never)',
  ),
  mutant(
    'a cancel by signal is forgotten',
    'cancels',
    'workflows/messages/handlers.ts',
    "(...args) => {\n      session.requestCancel('caller', usableDecidedBy(args));",
    '(...args) => {\n      void usableDecidedBy(args);',
  ),
  mutant(
    'a cancel of the workflow is forgotten',
    'cancels',
    'workflows/messages/handlers.ts',
    "cancelRequested.catch(() => {\n    session.requestCancel('caller');\n  });",
    'cancelRequested.catch(() => undefined);',
  ),
  mutant(
    'every cancel has succeeded',
    'cancels',
    'workflows/record/cancel-outcome.ts',
    "case 'Completed':\n      return 'lostToCompletion';",
    "case 'Completed':\n      return 'cancelled';",
  ),
  mutant(
    'a cancel counts as made before it is',
    'cancels',
    'workflows/steps/cancel.ts',
    "    const reply = await cancelSession.executeWithOptions({ summary }, [session.serviceSession()]);\n    if (reply.outcome === 'refused') return reply.failure;\n    session.apply({ type: 'seen', snapshot: reply.snapshot, source: 'cancel' });",
    "    void cancelSession; void summary;\n    session.apply({ type: 'seen', snapshot: { status: 'Cancelled', code: 'EFT0501' }, source: 'cancel' });",
  ),
  mutant(
    'a cancel with unreadable arguments fails its workflow task',
    'cancels',
    'workflows/messages/handlers.ts',
    "(...args) => {\n      session.requestCancel('caller', usableDecidedBy(args));",
    "(...args) => {\n      decodeArguments(args);\n      session.requestCancel('caller', usableDecidedBy(args));",
  ),
  mutant(
    'a status that goes backwards is applied',
    'states',
    'workflows/record/seen.ts',
    'if (goesBackwards(record, snapshot)) {',
    'if (goesBackwards(record, snapshot) && Date.now() === 0) {',
  ),
  mutant(
    'a state is recorded twice',
    'states',
    'workflows/record/seen.ts',
    'stateHistory: [...record.stateHistory, {',
    'stateHistory: [...record.stateHistory, { ...state, firstSeenAt: toIso(nowMs), source }, {',
  ),
  mutant(
    'a payment counts as paid before it is signed',
    'states',
    'src/contract/paid.ts',
    "return code === 'EFT0301' || needsNoCode;",
    "return code === 'EFT0301' || code === 'EFT0302' || needsNoCode;",
  ),
  mutant(
    'an e-Transfer is never paid',
    'states',
    'src/contract/paid.ts',
    "return code === 'EFT0301' || needsNoCode;",
    "return code === 'EFT0301' || (needsNoCode && code !== undefined);",
  ),
  mutant(
    'an answer about another session is believed',
    'states',
    'src/service/answers/session-answer.ts',
    "if (exchange.kind === 'answered' && isOfAnotherSession(exchange, question)) {",
    "if (exchange.kind === 'answered' && isOfAnotherSession(exchange, question) && question.nowMs === 0) {",
  ),
  mutant(
    'a status that nobody knows ends the session',
    'states',
    'workflows/record/seen.ts',
    'default:\n      return record;',
    'default:\n      return isSessionStatus(record.status ?? "") ? record : { ...record, ended: true };',
  ),
  mutant(
    'the token is logged',
    'secrets',
    'src/service/token/authorize.ts',
    'redactor.learn(grant.accessToken);',
    'redactor.learn(grant.accessToken); console.error(grant.accessToken);',
  ),
  mutant(
    'an echoed token is kept',
    'secrets',
    'src/service/token/authorize.ts',
    'redactor.learn(grant.accessToken);',
    '',
  ),
  mutant(
    'what is encrypted is stored in plain text besides',
    'secrets',
    'src/encryption/payload-codec.ts',
    '        [AUTHENTICATED]: aad,\n',
    '        [AUTHENTICATED]: aad,\n        planted: payload.data ?? new Uint8Array(),\n',
  ),
  mutant(
    '`Retry-After` is not read',
    'pace',
    'src/service/http/retry-after.ts',
    'return waitMs >= 0 ? Math.min(waitMs, longestMs) : undefined;',
    'return waitMs >= 0 && longestMs < 0 ? waitMs : undefined;',
  ),
  mutant(
    'polls do not keep to the cadence',
    'pace',
    'src/protocol/cadence.ts',
    'return Math.min(Math.max((sinceChangeMs - steadyMs) * GROWTH, fastestMs), slowestMs);',
    'return Math.min(Math.max((sinceChangeMs - steadyMs) * GROWTH, 50), slowestMs + fastestMs);',
  ),
  mutant(
    'a token is asked for at every call',
    'pace',
    'src/service/token/token-source.ts',
    'return this.#now() < expiresAtMs - aheadMs;',
    'return this.#now() < expiresAtMs - aheadMs - lifetimeMs;',
  ),
  mutant(
    'a refresh is lost',
    'refreshes',
    'workflows/refreshes.ts',
    'this.served = serves;',
    'this.served = Math.min(serves, 0);',
  ),
  mutant(
    'a workflow task fails at each refresh',
    'refreshes',
    'workflows/messages/handlers.ts',
    'const served = session.requestRefresh(decidedBy);',
    "if (session.record.revision > 0) throw new Error('planted'); const served = session.requestRefresh(decidedBy);",
  ),
  mutant(
    'another request for a key is taken for the same',
    'floods',
    'src/sessions/start/taken-key.ts',
    'if (taken !== fingerprint) throw',
    'if (taken !== fingerprint && workflowId === "") throw',
  ),
  {
    name: 'a replay makes other commands',
    plan: 'floods',
    patches: [
      {
        file: 'workflows/session.ts',
        from: 'import { ApplicationFailure }',
        to: 'import { ApplicationFailure, workflowInfo }',
      },
      {
        file: 'workflows/session.ts',
        from: 'publishChange(this.current, this.input);',
        to: 'if (!workflowInfo().unsafe.isReplaying) publishChange(this.current, this.input);',
      },
    ],
  },
  mutant(
    'sessions in hand are not handed over',
    'handover',
    'activities/follow/held-sessions.ts',
    '    this.#isStopping = true;\n',
    '    this.#isStopping = true;\n    if (this.#most > 0) return;\n',
  ),
];
