// This file runs before all other code, on any version of Node. So this file and the file that it imports use no new features of Node.
import { endEarly } from './shared/early-error';

/** The oldest version of Node on which the package runs. It is the same as in `engines` of package.json. */
export const OLDEST_NODE = '20.19';

/** Returns an error message if the version of Node is too old. Otherwise returns `undefined`. */
export function nodeTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (!isOld) return undefined;
  return `paysession needs Node ${OLDEST_NODE} or later, and this is Node ${version}. Install Node 22 or 24, and run it again.`;
}

/** Ends the process if its version of Node is too old. */
function needNode(): void {
  const message = nodeTooOld(process.versions.node);
  const code = 'RUNTIME_UNSUPPORTED';
  if (message !== undefined) endEarly({ code, message }, `error ${code}`);
}

needNode();
