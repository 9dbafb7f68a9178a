import { basename } from 'node:path';
import { unpackReleasedBundles } from '../../../test/support/earlier-bundles';
import type { WorkerVersion } from './worker-messages';

/**
 * Returns the versions of a campaign's workers: all released versions, and the current code. Unpacks the workflow code of the released
 * versions into `folder`. Before the first release, there are two versions, and both have the current code.
 */
export async function versionsOf(name: string, folder: string): Promise<readonly WorkerVersion[]> {
  const released = await unpackReleasedBundles(folder);
  const before = released.map((bundlePath) => ({ name, buildId: basename(bundlePath, '.js'), bundlePath }));
  return [...(before.length > 0 ? before : [{ name, buildId: 'before' }]), { name, buildId: 'now' }];
}
