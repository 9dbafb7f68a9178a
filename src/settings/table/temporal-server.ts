import { text } from '../setting-values';
import type { Setting } from './setting';

const sha256 = text.regex(/^[\da-f]{64}$/, 'must be 64 hexadecimal digits, in lower case');

/** The Temporal server that `paysession dev` and the tests start. */
export const TEMPORAL_SERVER_SETTINGS = [
  {
    name: 'PAYSESSION_CACHE_DIR',
    subject: 'Temporal server',
    meaning:
      'Folder for the downloaded or built Temporal server, the bundles of the testing kit, and what Node has compiled of the command line. If unset: $XDG_CACHE_HOME/paysession, or ~/.cache/paysession.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_ENGINE_SHA256',
    subject: 'Temporal server',
    meaning:
      'SHA-256 of the archive of the Temporal CLI 1.5.1 for this machine, in hexadecimal digits. If unset: the one that is known; where none is, it is built with Go.',
    secret: false,
    schema: sha256,
  },
  {
    name: 'PAYSESSION_TEST_SERVER_SHA256',
    subject: 'Temporal server',
    meaning:
      'SHA-256 of the archive of Temporal’s test server 1.38.0 for this machine, in hexadecimal digits. If unset: the one that is known; where none is, it comes from Maven.',
    secret: false,
    schema: sha256,
  },
] as const satisfies readonly Setting[];
