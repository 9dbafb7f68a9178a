import { basename } from 'node:path';
import { unpackReleasedBundles } from '../../../test/support/earlier-bundles';
import type { WorkerVersion } from './worker-messages';

/**
 * The versions of a campaign's workers: those released, and the code of now. Their workflows' code is unpacked into `folder`. Before the
 * first release, the code of now takes over from itself.
 */
export async function versionsOf(name: string, folder: string): Promise<readonly WorkerVersion[]> {
  const released = await unpackReleasedBundles(folder);
  const before = released.map((bundlePath) => ({ name, buildId: basename(bundlePath, '.js'), bundlePath }));
  return [...(before.length > 0 ? before : [{ name, buildId: 'before' }]), { name, buildId: 'now' }];
}
