import { readdirSync } from 'node:fs';
import { HISTORIES } from './corpus/table';

/** Fifty milliseconds are usual where nothing else runs. */
const ONE_HISTORY_MS = 1_000;
const BUNDLE_MS = 60_000;

/** The time limit of a test that replays every recorded session, also on a busy machine. */
export const REPLAY_ALL_MS = BUNDLE_MS + readdirSync(HISTORIES).length * ONE_HISTORY_MS;
