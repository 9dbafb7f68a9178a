import { PaysessionError, withRemedy } from '../../errors';

/** `WORKER_UNAVAILABLE`: no worker polls the session's task queue, so that nobody can answer. */
export class UnattendedError extends PaysessionError {
  constructor(
    readonly taskQueue: string,
    readonly namespace: string,
  ) {
    const code = 'WORKER_UNAVAILABLE';
    const happened = `No worker polls the task queue "${taskQueue}" of the namespace "${namespace}": the session waits.`;
    super(code, withRemedy(code, happened));
  }
}
