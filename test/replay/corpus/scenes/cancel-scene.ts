import { eft } from '../../../support/requests';
import { CANCELLED, ended, OPENED } from '../ending';
import type { LiveScene, LiveStage } from '../scene';

export const staysInitiated = eft('sandbox-stays-initiated');

export const WON = ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' });

/** A scene whose cancel is accepted. */
export const cancelled = (tells: string, play: (stage: LiveStage) => Promise<unknown>): LiveScene => ({
  tells,
  play,
  expected: WON,
});
