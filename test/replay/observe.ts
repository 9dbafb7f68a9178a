import {
  bundleWorkflowCode,
  DefaultLogger,
  Worker,
  type InjectedSinks,
  type WorkflowBundle,
} from '@temporalio/worker';
import type { SessionState, StateHistoryEntry } from '../../src';
import type { RecordedHistory } from '../../testkit';
import { workflowCode } from '../../worker/workflow-source';
import { endingOf, failedUnheard, type Ending } from './corpus/ending';
import type { Observing } from './observer';
import { quietRuntime } from '../../testkit/histories/replay-worker';

/** The observations of a replay: the session’s state after each workflow task. */
export interface Observed {
  readonly endings: Ending[];
  /** The reason if the session’s history does not replay. */
  divergence?: string;
}

/** Bundles the current workflow code together with `observer.ts`. */
export function bundleObserved(): Promise<WorkflowBundle> {
  const { workflowsPath, workflowInterceptorModules } = workflowCode();
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [...workflowInterceptorModules, require.resolve('./observer')],
    logger: new DefaultLogger('ERROR'),
  });
}

/** Replays histories with the current code. Returns the observations by the names of the histories. */
export async function observeReplays(
  workflowBundle: WorkflowBundle,
  histories: readonly RecordedHistory[],
): Promise<ReadonlyMap<string, Observed>> {
  quietRuntime();
  const seen = new Map<string, Observed>(histories.map(({ name }) => [name, { endings: [] }]));
  const record = (name: string, ending: Ending): void => {
    seen.get(name)?.endings.push(ending);
  };
  const sinks: InjectedSinks<Observing> = {
    observer: {
      answers: {
        callDuringReplay: true,
        fn: ({ workflowId }, state, stateHistory) => {
          record(
            workflowId,
            endingOf(JSON.parse(state) as SessionState, JSON.parse(stateHistory) as StateHistoryEntry[]),
          );
        },
      },
      failed: {
        callDuringReplay: true,
        fn: ({ workflowId }, type) => {
          // The session failed before it could answer a query. So its failure is the only observation.
          if (seen.get(workflowId)?.endings.length === 0) record(workflowId, failedUnheard(type));
        },
      },
    },
  };
  const runs = histories.map(({ name, history }) => ({ workflowId: name, history }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle, sinks }, runs)) {
    const observed = seen.get(workflowId);
    if (observed !== undefined && error !== undefined) observed.divergence = error.message;
  }
  return seen;
}
