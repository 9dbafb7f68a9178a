import type { Scenes } from '../scene';
import { cancelScenes } from './cancels';
import { createScenes, lostCreateScenes } from './creates';
import { endScenes } from './ends';
import { oddityScenes } from './oddities';
import { resolutionScenes } from './resolutions';
import { runScenes } from './runs';
import { timeScenes } from './time';

/** Every scene of the corpus. */
export const SCENES: Scenes = {
  ...endScenes,
  ...timeScenes,
  ...createScenes,
  ...lostCreateScenes,
  ...resolutionScenes,
  ...cancelScenes,
  ...oddityScenes,
  ...runScenes,
};
