import type { ResolveCreate } from '../../../src';
import type { SessionRun } from './session-run';

/**
 * Returns an operator's planned decision about a parked session. If the plan is to adopt and there is no session to adopt, returns a retry.
 */
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
 * Returns a session of another key whose payment looks the same. The operator adopts it by mistake. If the other key already follows this
 * session, the workflow refuses the decision. The operator names each session at most once.
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
