import type { ProcessUser } from '../run/engine-process';

/** The user that owns nothing. */
const NOBODY: ProcessUser = { uid: 65_534, gid: 65_534 };

/** PostgreSQL refuses to run as root: then it runs as `nobody`. @returns nothing where it runs as this process's user */
export const postgresUser = (): ProcessUser | undefined => (process.getuid?.() === 0 ? NOBODY : undefined);
