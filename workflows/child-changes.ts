import { CancellationScope, defineSignal, setHandler } from '@temporalio/workflow';
import { CHANGED_SIGNAL } from '../src/protocol/names';
import type { SessionState } from '../src/protocol/state/session';

/** Called with a session's state after a change. */
export type OnChange = (state: SessionState) => void | Promise<void>;

/** Who hears of the changes of a session that this workflow has started. */
interface Listener {
  readonly key: string;
  readonly onChange: OnChange;
  /** The last revision that it was told. */
  revision: number;
  /** Settles when it has taken all that it was told. */
  taken: Promise<void>;
}

const listeners = new Set<Listener>();

const changedSignal = defineSignal<[SessionState]>(CHANGED_SIGNAL);

/**
 * Runs what starts a session and waits for its end, and calls `onChange` meanwhile: for one change after the other, and for none twice.
 * It has taken all that it was told when this returns.
 */
export async function hearing<T>(
  key: string,
  onChange: OnChange | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (onChange === undefined) return run();
  const listener: Listener = { key, onChange, revision: 0, taken: Promise.resolve() };
  listeners.add(listener);
  setHandler(changedSignal, hear);
  try {
    return await run();
  } finally {
    await listener.taken;
    listeners.delete(listener);
  }
}

async function hear(state: SessionState): Promise<void> {
  const { key, revision = 0 } = state;
  // A session that was continued as new tells its state once more; one that was reset counts from an earlier revision.
  const hearers = [...listeners].filter((listener) => listener.key === key && listener.revision !== revision);
  await Promise.all(
    hearers.map((listener) => {
      listener.revision = revision;
      listener.taken = listener.taken.then(() => tell(listener, state));
      return listener.taken;
    }),
  );
}

/** A cancel of the workflow leaves it alone: what a handler of a signal throws would end the workflow before its session. */
function tell({ onChange }: Listener, state: SessionState): Promise<void> {
  return CancellationScope.nonCancellable(async () => onChange(state));
}
