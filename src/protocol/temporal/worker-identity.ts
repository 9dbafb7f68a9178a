/**
 * The identity by which the engine lists a worker, and names it in histories. One that encrypts says so, and with which keys, for
 * clients that would store in plain text beside it or with a key that it lacks.
 */
export interface WorkerEncryption {
  /** Whether it refuses plain text. */
  readonly required: boolean;
  /** The ids of its keys as it started, the one that encrypts first; empty if its data converter is not ours. */
  readonly keyIds: readonly string[];
}

const ENCRYPTING = /^(.*) encrypting( always)?(?: with ([\w.,-]+))?$/;
/** The engine bounds an identity's length; who has more keys has not dropped any for long. */
const MAX_KEY_IDS = 8;

/** @param name what tells the worker from others, such as `<pid>@<host>` */
export function workerIdentity(name: string, encryption: WorkerEncryption | undefined): string {
  if (encryption === undefined) return name;
  const ids = encryption.keyIds.slice(0, MAX_KEY_IDS).join(',');
  return `${name} encrypting${encryption.required ? ' always' : ''}${ids === '' ? '' : ` with ${ids}`}`;
}

/** What tells a worker from others, without what it says of itself. */
export function nameOf(identity: string): string {
  return ENCRYPTING.exec(identity)?.[1] ?? identity;
}

/** What an identity tells; `undefined` for a worker that does not encrypt. */
export function encryptionOf(identity: string): WorkerEncryption | undefined {
  const found = ENCRYPTING.exec(identity);
  if (found === null) return undefined;
  const [, , always, ids] = found;
  return { required: always !== undefined, keyIds: ids?.split(',') ?? [] };
}
