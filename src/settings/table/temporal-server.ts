import { text } from '../setting-values';
import type { Setting } from './setting';

/** The Temporal server that `paysession dev` and the tests start. */
export const TEMPORAL_SERVER_SETTINGS = [
  {
    name: 'PAYSESSION_CACHE_DIR',
    subject: 'Temporal server',
    meaning:
      'Folder for the downloaded or built Temporal server. If unset: $XDG_CACHE_HOME/paysession, or ~/.cache/paysession.',
    secret: false,
    schema: text,
  },
] as const satisfies readonly Setting[];
