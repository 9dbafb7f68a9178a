import { userInfo } from 'node:os';

/** The name of this machine's user, by which decisions are signed; a container's user may have none. */
export function machineUser(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}
