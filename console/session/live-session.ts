import { Remembered } from '../reading/remembered';
import type { Shown } from '../reading/live';
import type { ConsoleOptions } from '../server/options';
import type { Reader } from '../server/reader';
import { sessionFragment } from './session-fragment';
import { lostOf, readView, type SessionView } from './view';

/** Two looks of one page, for its content and for who is lost, share an answer; so do readers of other languages and roles. */
const VIEWS = { freshMs: 500, usableMs: 500 };

/** Sessions as those see them who look at their pages: read once for all who look at the same one. */
export class LiveSessions {
  private readonly views = new Remembered<SessionView>(VIEWS);

  constructor(private readonly options: ConsoleOptions) {}

  /** What to show of a session, for readers of this one's language and role. */
  shown(key: string, reader: Reader): Shown {
    let latest: SessionView | undefined;
    const look = async (): Promise<SessionView> => {
      const { value } = await this.views.get(key, () => this.read(key, latest));
      latest = value;
      return value;
    };
    return {
      render: async () => {
        const view = await look();
        // The page may know more, from before.
        const isNothing = view.summary === undefined && view.known === undefined;
        return isNothing ? undefined : sessionFragment(view, reader, this.options);
      },
      reach: async () => {
        const lost = lostOf((await look()).silence);
        return lost === undefined ? 'back' : `${lost}Lost`;
      },
    };
  }

  /** What has ended for good is not read again. */
  private async read(key: string, before: SessionView | undefined): Promise<SessionView> {
    return before !== undefined && isFinal(before) ? before : readView(this.options, key, before);
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
