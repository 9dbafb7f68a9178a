import type { SessionEvidence, Violation } from './evidence';

/**
 * The longest time that a query or a cancel may wait for its answer, in milliseconds: twice a caller's own limit. On a busy
 * machine, the first try may be too late, and the second one may need almost its whole limit.
 */
const LONGEST_ANSWER_MS = 20_000;
/**
 * The longest time until a worker that was lost with a task is noticed, in milliseconds. The task may then go to
 * another lost worker.
 */
const LOST_TASK_MS = 11_000;

/** (h) A caller gets a permitted answer, whatever was held, killed or restarted. */
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
