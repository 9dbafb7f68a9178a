import { eft } from '../../../support/requests';
import { CANCELLED, ended, OPENED } from '../ending';
import type { LiveScene, LiveStage } from '../scene';

export const staysInitiated = eft('sandbox-stays-initiated');

/** The end of a session whose cancel the service has accepted. */
export const WON = ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' });

/** Returns a scene whose cancel the service accepts. */
export const cancelled = (tells: string, play: (stage: LiveStage) => Promise<unknown>): LiveScene => ({
  tells,
  play,
  expected: WON,
});
