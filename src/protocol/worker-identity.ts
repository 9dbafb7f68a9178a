/**
 * The identity by which the engine lists a worker. One that encrypts says so, for clients that would store in plain text
 * beside it.
 */
const ENCRYPTING = ' encrypting';

/** @param name what tells the worker from others, such as `<pid>@<host>` */
export function workerIdentity(name: string, encrypts: boolean): string {
  return encrypts ? `${name}${ENCRYPTING}` : name;
}

export function isEncrypting(identity: string): boolean {
  return identity.endsWith(ENCRYPTING);
}
