import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsoleOptions } from '../server/options';
import { readView, type SessionView } from './view';

/** A lost worker or engine is told within five seconds: this, and the time for which an answer is waited. */
const LOOK_EVERY_MS = 1_500;

/** Must not throw: others look at the same session. */
type Looker = (view: SessionView) => void;

interface Watched {
  readonly lookers: Set<Looker>;
  readonly stop: AbortController;
  view?: SessionView;
}

/** Looks at sessions for those who look at their pages: once for all who look at the same one, as long as somebody does. */
export class SessionWatch {
  private readonly watched = new Map<string, Watched>();

  constructor(private readonly options: Pick<ConsoleOptions, 'client' | 'sessions'>) {}

  /** Tells what is known now and at each look; gives what ends that. */
  watch(key: string, looker: Looker): () => void {
    const watched = this.watched.get(key) ?? this.begin(key);
    watched.lookers.add(looker);
    if (watched.view !== undefined) looker(watched.view);
    return () => {
      watched.lookers.delete(looker);
      if (watched.lookers.size > 0) return;
      watched.stop.abort();
      if (this.watched.get(key) === watched) this.watched.delete(key);
    };
  }

  /** How many sessions are looked at. */
  get size(): number {
    return this.watched.size;
  }

  private begin(key: string): Watched {
    const watched: Watched = { lookers: new Set(), stop: new AbortController() };
    this.watched.set(key, watched);
    void this.look(key, watched);
    return watched;
  }

  private async look(key: string, watched: Watched): Promise<void> {
    const { signal } = watched.stop;
    do {
      const view = await this.read(key, watched.view);
      if (view !== undefined) {
        watched.view = view;
        for (const looker of watched.lookers) looker(view);
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    } while (!signal.aborted);
  }

  /** What has ended for good is not read again. Whatever else goes wrong, the next look may find it mended. */
  private async read(key: string, before: SessionView | undefined): Promise<SessionView | undefined> {
    if (before !== undefined && isFinal(before)) return before;
    return readView(this.options, key, before).catch(() => undefined);
  }
}

function isFinal({ summary, known, silence, stored }: SessionView): boolean {
  return (
    summary?.running === false &&
    known?.state.phase === 'ended' &&
    silence === undefined &&
    stored !== undefined
  );
}
