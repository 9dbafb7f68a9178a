import { QueryNotRegisteredError } from '@temporalio/client';
import { repeating } from './repeating';

const PAUSE_MS = 50;

/**
 * Asks again where a worker fails the query: it came with events that await a workflow task (`workflows/ahead-of-tasks.ts`).
 * The Temporal client takes each query that fails for one that is not registered.
 */
export const repeatingQuery = <T>(ask: () => Promise<T>): Promise<T> =>
  repeating(ask, (error) => (error instanceof QueryNotRegisteredError ? PAUSE_MS : undefined));
