import type { Client } from '@temporalio/client';
import { allKeys } from '../../../src/encryption';
import { pollersOf } from '../../../src/sessions';
import type { TemporalSettings } from '../../../src/settings';
import type { Finding } from './finding';
import { seenText } from './workers';
import { encryptionOf, type WorkerEncryption } from '../../../src/encryption/worker-encryption';

const SUBJECT = 'Encryption';
const MAX_NAMED = 5;

/** Compares what the settings say of encryption with what the workers of the task queue tell. */
export async function examineEncryption(client: Client, settings: TemporalSettings): Promise<Finding> {
  const pollers = await pollersOf(client, settings.taskQueue);
  const workers = pollers
    .filter(({ recent }) => recent)
    .map(({ identity, polledAtMs }) => ({ identity, polledAtMs, encryption: encryptionOf(identity) }));
  return compare(settings, workers);
}

interface WorkerSeen {
  readonly identity: string;
  /** When it polled last; 0 if the engine does not tell. */
  readonly polledAtMs: number;
  /** `undefined` for one that stores in plain text. */
  readonly encryption: WorkerEncryption | undefined;
}

type Here = Pick<TemporalSettings, 'encryption' | 'encryptionRequired'>;

function compare({ encryption, encryptionRequired }: Here, workers: readonly WorkerSeen[]): Finding {
  const here = encryption === undefined ? [] : allKeys(encryption).map(({ id }) => id);
  const said = here.length === 0 ? 'no keys here' : `keys here: ${here.join(', ')}`;
  const found = `${said}; ${encryptionRequired ? 'required' : 'plain text is accepted'}`;
  const commands = ['paysession keys check'];
  const miss = (which: readonly WorkerSeen[], what: string, fix: string): Finding | undefined =>
    which.length === 0
      ? undefined
      : { subject: SUBJECT, ok: false, found: `${found}; ${what}: ${named(which)}`, fix, commands };
  const plain = workers.filter((worker) => worker.encryption === undefined);
  const encrypting = workers.filter((worker) => worker.encryption !== undefined);
  const lax = encrypting.filter((worker) => worker.encryption?.required === false);
  const lacking = encrypting.filter(({ encryption: of }) => here[0] !== undefined && lacks(of, here[0]));
  return (
    (here.length === 0
      ? miss(
          encrypting,
          'workers encrypt',
          'Set the workers’ keys here: without them, sessions started here are stored in plain text.',
        )
      : miss(plain, 'workers have no keys', 'Give every worker the same keys.')) ??
    miss(lacking, `workers lack the key ${here[0] ?? ''}`, 'See which keys are where:') ??
    (encryptionRequired
      ? miss(lax, 'workers accept plain text', 'Set PAYSESSION_ENCRYPTION=required for every worker.')
      : undefined) ?? { subject: SUBJECT, ok: true, found: `${found}; ${agreeing(workers)}` }
  );
}

/** A worker whose keys nobody can tell may have them all. */
function lacks(encryption: WorkerEncryption | undefined, id: string): boolean {
  const ids = encryption?.keyIds ?? [];
  return ids.length > 0 && !ids.includes(id);
}

function agreeing(workers: readonly WorkerSeen[]): string {
  if (workers.length === 0) return 'no worker polls the task queue';
  return workers.length === 1 ? 'the worker agrees' : `all ${workers.length} workers agree`;
}

function named(workers: readonly WorkerSeen[]): string {
  const names = workers.slice(0, MAX_NAMED).map(seenText);
  return [...names, ...(workers.length > MAX_NAMED ? [`${workers.length - MAX_NAMED} more`] : [])].join('; ');
}
