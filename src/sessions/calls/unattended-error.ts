import { ERROR_CODES, PaysessionError } from '../../errors';

/** `WORKER_UNAVAILABLE`: no worker polls the session's task queue, so that nobody can answer. */
export class UnattendedError extends PaysessionError {
  constructor(
    readonly taskQueue: string,
    readonly namespace: string,
  ) {
    const { remedy } = ERROR_CODES.WORKER_UNAVAILABLE;
    super(
      'WORKER_UNAVAILABLE',
      `No worker polls the task queue "${taskQueue}" of the namespace "${namespace}": the session waits. ${remedy}`,
    );
  }
}
