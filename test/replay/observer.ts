import { proxySinks, workflowInfo, type Sinks, type WorkflowInterceptors } from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

/**
 * The functions that receive a session’s answers to its queries after each workflow task. The replay test bundles this module into the
 * workflow, which calls these functions.
 */
export interface Observing extends Sinks {
  readonly observer: {
    /** JSON of the answers to `state` and `stateHistory`. */
    answers(state: string, stateHistory: string): void;
    /** Receives the type of the error with which the workflow failed. */
    failed(type: string): void;
  };
}

const { observer } = proxySinks<Observing>();

function answer(query: string): string | undefined {
  const handler = getActivator().queryHandlers.get(query)?.handler;
  return handler === undefined ? undefined : JSON.stringify((handler as () => unknown)());
}

export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute: async (input, next) => {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof ApplicationFailure) observer.failed(error.type ?? workflowInfo().workflowType);
          throw error;
        }
      },
    },
  ],
  internals: [
    {
      concludeActivation: (input, next) => {
        const [state, stateHistory] = [answer('state'), answer('stateHistory')];
        if (state !== undefined && stateHistory !== undefined) observer.answers(state, stateHistory);
        return next(input);
      },
    },
  ],
});
