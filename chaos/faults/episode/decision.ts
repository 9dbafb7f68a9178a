import type { ResolveCreate } from '../../../src';
import type { SessionRun } from './session-run';

/** Returns the planned decision about a parked session. If there is no session to adopt, the decision is to create again. */
export function decisionOf(run: SessionRun): ResolveCreate {
  const { decision } = run.plan;
  const own = run.created.at(0)?.sessionId;
  switch (decision) {
    case 'abandon':
      return { abandon: true };
    case 'retry':
      return { retry: true };
    case 'adopt':
      return own === undefined ? { retry: true } : { sessionId: own };
    case 'adoptOpen':
    case 'adoptParked': {
      const named = sessionOfAnother(run, decision === 'adoptParked');
      if (named === undefined) return { retry: true };
      run.named.add(named);
      return { sessionId: named };
    }
  }
}

/**
 * Returns a session of another key whose payment looks the same. A person names each session at most once. The decision is
 * refused if another key already follows that session.
 */
function sessionOfAnother(run: SessionRun, isParked: boolean): string | undefined {
  const alike = [...run.lane.runs.values()].filter(
    ({ key, plan, wasParked }) =>
      key !== run.key &&
      wasParked === isParked &&
      plan.sharesReference &&
      run.plan.sharesReference &&
      plan.kind === run.plan.kind,
  );
  const ids = alike.flatMap(({ created }) => created.map(({ sessionId }) => sessionId));
  return ids.find((sessionId) => !run.named.has(sessionId));
}
