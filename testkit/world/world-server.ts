import type { OnProgress } from '../../engine';
import { resolveTestServer } from '../../engine/resolve-test-server';
import { startTestServer } from '../../engine/start-server';
import { borrowServer } from '../presets/lent-server';

/** The test server of a world: its own, or one that the test runner lends it. */
export interface WorldServer {
  /** HOST:PORT. */
  readonly address: string;
  readonly namespace: string;
  /** Whether another world has used it: it has the search attributes, and its time stands still. */
  readonly isUsed: boolean;
  /** Tidies up for the next world, if there may be one, when the workers have stopped: `leave` tells whether it could. */
  tidy(leave: () => Promise<boolean>): Promise<void>;
  /** Resolves when it has ended, or is no longer lent. */
  readonly ended: Promise<void>;
  /** Gives it back, or ends it. */
  stop(): Promise<void>;
}

/** The server of a world, on its way. */
export interface StartingServer {
  /** Resolves when there is nothing left but to wait for it, and rejects with it. */
  readonly begun: Promise<unknown>;
  /** Rejects with `PaysessionError` `ENGINE_NOT_FOUND` and `ENGINE_UNAVAILABLE`. */
  readonly server: Promise<WorldServer>;
}

export function startWorldServer(onProgress: OnProgress): StartingServer {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = serverOf(onProgress, begin);
  return { server, begun: Promise.race([begun, server]) };
}

/** @param onBegun is called once there is nothing left but to wait */
async function serverOf(onProgress: OnProgress, onBegun: () => void): Promise<WorldServer> {
  const borrowing = borrowServer();
  if (borrowing !== undefined) {
    onBegun();
    const lent = await borrowing;
    if (lent !== undefined) {
      let isClean = false;
      return {
        ...lent,
        tidy: async (leave) => {
          isClean = await leave();
        },
        stop: () => lent.giveBack(isClean),
      };
    }
  }
  const { executable } = await resolveTestServer({ onProgress });
  const running = await startTestServer({ executable, onSpawned: onBegun });
  return {
    address: running.address,
    namespace: 'default',
    isUsed: false,
    ended: running.exited,
    tidy: () => Promise.resolve(),
    stop: () => running.stop(),
  };
}
