import type { SessionEvidence, Violation } from './evidence';

/**
 * The longest time, in milliseconds, that a query or a cancellation may wait for its answer: twice the limit of a caller's single try. On a
 * busy machine, the first try may time out, and the second may need almost its whole limit.
 */
const LONGEST_ANSWER_MS = 20_000;
/**
 * The longest time, in milliseconds, until the Temporal server notices that a worker was lost with a task. The next worker that gets the
 * task may be lost, too.
 */
const LOST_TASK_MS = 11_000;

/** Invariant (h): every call gets a permitted answer in time, even if processes were held, killed or restarted. */
export function checkAnswers(evidence: SessionEvidence): Violation[] {
  const { key: where, acts } = evidence;
  return acts.flatMap(({ act, atMs, doneMs, strikes, error, isWrong }) => {
    const violation = (what: string): Violation => ({ invariant: 'h', where, what });
    if (isWrong) return [violation(`${act} was answered with ${error ?? 'no error'}`)];
    const isQuick = act === 'probe' || act === 'state' || act === 'cancelBySignal';
    const tookMs = doneMs - atMs;
    return isQuick && tookMs > LONGEST_ANSWER_MS + strikes * LOST_TASK_MS
      ? [violation(`${act} took ${tookMs} ms`)]
      : [];
  });
}
