import { basename } from 'node:path';
import { unpackEarlierBundles } from '../../support/earlier-bundles';
import type { WorkerVersion } from './worker-messages';

/** The code of now, as the server knows it. */
export const CURRENT_BUILD = 'now';

/** The versions of a campaign's workers: those released, and the code of now. Their workflows' code is unpacked into `folder`. */
export async function versionsOf(name: string, folder: string): Promise<readonly WorkerVersion[]> {
  const released = await unpackEarlierBundles(folder);
  return [
    ...released.map((bundlePath) => ({ name, buildId: basename(bundlePath, '.js'), bundlePath })),
    { name, buildId: CURRENT_BUILD },
  ];
}
