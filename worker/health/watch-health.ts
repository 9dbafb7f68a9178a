import { Credentials, type AccountLogin } from './credentials';
import { EngineContact, type PollingPlace } from './engine-contact';
import { type HealthWatch, repeatUntil } from './health-check';
import { polling } from './serve-probes';

/** What is watched. */
export interface Watched extends PollingPlace, AccountLogin {
  /** Whether the worker takes work. */
  readonly isPolling: () => boolean;
}

/** Begins to look, without waiting for traffic. */
export function watchHealth(watched: Watched): HealthWatch {
  const engine = new EngineContact(watched);
  const credentials = new Credentials(watched);
  const ends = new AbortController();
  void repeatUntil(ends.signal, () => engine.look());
  void repeatUntil(ends.signal, () => credentials.look());
  return {
    checks: () => [polling(watched.isPolling()), engine.check(), credentials.check()],
    stop: () => {
      ends.abort();
    },
  };
}
