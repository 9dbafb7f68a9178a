import type { Scenes } from '../scene';
import { cancelScenes } from './cancels';
import { createScenes } from './creates';
import { lostCreateScenes } from './lost-creates';
import { earlyCancelScenes } from './early-cancels';
import { troubledCancelScenes } from './troubled-cancels';
import { endScenes } from './ends';
import { oddityScenes } from './oddities';
import { ledgerScenes } from './ledger';
import { resetScenes } from './resets';
import { resolutionScenes } from './resolutions';
import { lastLookScenes } from './last-looks';
import { runScenes } from './runs';
import { timeScenes } from './time';

/** Every scene of the corpus. */
export const SCENES: Scenes = {
  ...endScenes,
  ...timeScenes,
  ...createScenes,
  ...lostCreateScenes,
  ...resolutionScenes,
  ...resetScenes,
  ...ledgerScenes,
  ...earlyCancelScenes,
  ...cancelScenes,
  ...troubledCancelScenes,
  ...oddityScenes,
  ...lastLookScenes,
  ...runScenes,
};
