import { basename } from 'node:path';
import { unpackReleasedBundles } from '../../../test/support/earlier-bundles';
import type { WorkerVersion } from './worker-messages';

/**
 * Returns the versions of a campaign's workers: the released ones, and the current code. Unpacks their workflows'
 * code into `folder`. Before the first release, the current code takes over from itself.
 */
export async function versionsOf(name: string, folder: string): Promise<readonly WorkerVersion[]> {
  const released = await unpackReleasedBundles(folder);
  const before = released.map((bundlePath) => ({ name, buildId: basename(bundlePath, '.js'), bundlePath }));
  return [...(before.length > 0 ? before : [{ name, buildId: 'before' }]), { name, buildId: 'now' }];
}
