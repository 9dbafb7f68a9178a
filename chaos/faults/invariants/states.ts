import type { Told } from '../service/exchange';
import type { SessionPlan } from '../plan/plan';
import { told, type Creation, type SessionEvidence, type Violation } from './evidence';

/**
 * Invariant (c): the recorded states are true states of the service, in the same order and with the same end. `paid` is true exactly if the
 * session is paid at the service.
 */
export function checkStates(evidence: SessionEvidence): Violation[] {
  const { key: where, creations, exchanges, plan } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'c', where, what });
  const followed = creations.find(({ sessionId }) => sessionId === known.sessionId);
  const recorded = known.stateHistory.map(({ status, code }) => ({
    status,
    ...(code !== undefined && { code }),
  }));
  if (followed === undefined) {
    return known.paid || recorded.some(({ status }) => status !== 'Cancelled')
      ? [violation(`states without a session: ${text(recorded)}`)]
      : [];
  }
  const lies = exchanges.flatMap(({ fault, told: said }) =>
    isFalseAnswer(fault) && said !== undefined ? [text([said])] : [],
  );
  const truth = followed.truth;
  const last = truth.at(-1);
  const truly = `${text(truth)}; lies: ${lies.join(' ')}`;
  const isPaid = isPaidAtService(plan, followed);
  return [
    ...(isInTrueOrder(recorded, truth, lies)
      ? []
      : [violation(`${text(recorded)} is not what happened: ${truly}`)]),
    ...(known.paid && !isPaid ? [violation(`paid, and truly ${truly}`)] : []),
    ...(isPaid && !known.paid && known.failed === undefined
      ? [violation(`not paid, and truly ${truly}`)]
      : []),
    ...(known.failed === undefined && recorded.at(-1)?.status !== last?.status
      ? [violation(`ends as ${text(recorded.slice(-1))}, and truly ${truly}`)]
      : []),
  ];
}

/** True if the session is paid at the service. */
export function isPaidAtService({ kind }: SessionPlan, { truth }: Creation): boolean {
  const last = truth.at(-1);
  return last?.status === 'Completed' && (kind === 'e-Transfer' || last.code === 'EFT0301');
}

const FALSE_ANSWERS = ['unknownStatus', 'unknownCode', 'missingCode'];
const isFalseAnswer = (fault: string | undefined): boolean =>
  fault !== undefined && FALSE_ANSWERS.includes(fault);

export const text = (states: readonly Told[]): string =>
  states.map(({ status, code }) => (code === undefined ? status : `${status}/${code}`)).join(' ');

/**
 * True if the recorded states are true states in their order, each once. States from false answers of the service are skipped. After such a
 * false state, the last true state may be recorded again.
 */
function isInTrueOrder(recorded: readonly Told[], truth: readonly Told[], lies: readonly string[]): boolean {
  const states = truth.map((state) => text([state]));
  let at = -1;
  let hasLied = false;
  for (const state of recorded.map((one) => text([one]))) {
    const next = states.indexOf(state, hasLied ? Math.max(at, 0) : at + 1);
    if (next === -1) {
      if (!lies.includes(state)) return false;
      hasLied = true;
    } else {
      at = next;
      hasLied = false;
    }
  }
  return true;
}
