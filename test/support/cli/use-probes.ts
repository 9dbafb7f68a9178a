import { beforeAll } from '@jest/globals';
import { ownPort } from '../own-port';
import { until } from '../wait';
import { startPaysession, type Running } from './run-paysession';

/** The answer of a worker's probe. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly status: string; readonly checks?: readonly { name: string; ok: boolean }[] };
}

/** The health endpoints of a worker. All tests of a file use the same port. */
export interface Probes {
  readonly startWorker: (more?: NodeJS.ProcessEnv) => Running;
  readonly probe: (path: string) => Promise<Answer>;
  /** Waits until the worker is ready (`wanted` is true) or not ready. Returns the answer, and the duration of the wait. */
  readonly untilReady: (wanted: boolean) => Promise<Answer & { readonly tookMs: number }>;
}

/**
 * Returns the health endpoints of a worker for the tests of a file.
 *
 * @param env the settings of the worker
 */
export function useProbes(env: NodeJS.ProcessEnv): Probes {
  let port: number;
  beforeAll(async () => {
    port = await ownPort();
  });
  const probe = async (path: string): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  return {
    probe,
    startWorker: (more = {}) =>
      startPaysession(['worker'], { ...env, PAYSESSION_HEALTH_PORT: String(port), ...more }),
    untilReady: async (wanted) => {
      const beganAt = performance.now();
      const answer = await until(
        () => probe('/readyz').catch(() => undefined),
        (found) => found !== undefined && (found.status === 200) === wanted,
      );
      if (answer === undefined) throw new Error('no answer');
      return { ...answer, tookMs: performance.now() - beganAt };
    },
  };
}

/** Returns the names of the checks that failed in a readiness answer. */
export const failing = ({ body }: Answer): readonly string[] =>
  (body.checks ?? []).flatMap(({ name, ok }) => (ok ? [] : [name]));
