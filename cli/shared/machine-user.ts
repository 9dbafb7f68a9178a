import { userInfo } from 'node:os';

/** The name of this machine's user, as decisions are signed; a container's user may have none. */
export function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
