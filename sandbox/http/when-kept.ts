import type { FastifyReply } from 'fastify';
import { HttpProblem, PROBLEM_TYPE, problemBody } from '../../web/problems';

/** Where what answers rest on is kept. */
export interface Keeping {
  readonly journal: {
    /** Settles once every change made so far is on disk; rejects when it cannot be written. */
    flushed(): Promise<void>;
  };
  readonly config: { readonly log?: (line: string) => void };
}

/**
 * The answer, once all that it rests on is on disk; another, when that cannot be written. Also a reading waits: what it
 * saw may have been changed a moment ago by a call that has not been answered yet.
 */
export async function whenKept(
  { journal, config }: Keeping,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  try {
    await journal.flushed();
    return payload;
  } catch (error) {
    config.log?.(
      `The data folder cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
    reply.code(503).type(PROBLEM_TYPE);
    return JSON.stringify(problemBody(new HttpProblem(503, 'The sandbox cannot write to its data folder.')));
  }
}
