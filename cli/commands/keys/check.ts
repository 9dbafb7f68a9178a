import { Client } from '@temporalio/client';
import { allKeys } from '../../../src/encryption';
import { pollersOf, type Poller } from '../../../src/sessions';
import { connectTemporal, readTemporalSettings, type TemporalSettings } from '../../../src/settings';
import { EXIT } from '../../shared/run/exit-codes';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';
import { readKeyUse, type KeyUse } from './key-use';
import { nextStep, type NextStep } from './next-step';
import { encryptionOf, workerNameOf } from '../../../src/encryption/worker-encryption';

export interface KeyCheckOptions extends JsonOption {
  readonly limit: number;
}

export async function printCheck({ limit, json }: KeyCheckOptions): Promise<void> {
  const settings: TemporalSettings = readTemporalSettings({
    ...process.env,
    PAYSESSION_ENCRYPTION: 'optional',
  });
  const found = await check(settings, limit);
  if (json) printJson(found);
  else printFound(found);
  if (!found.next.ok) process.exitCode = EXIT.unavailable;
}

function printFound({ here, workers, openSessions, next }: KeyCheck): void {
  printLine(`keys here      ${here.length === 0 ? 'none' : here.join(', ')}`);
  if (workers.length === 0) printLine('workers        none polls the task queue');
  for (const { name, encrypts, keyIds } of workers) {
    const has = keyIds === undefined ? 'keys unknown' : keyIds.join(', ');
    printLine(`worker         ${name}: ${encrypts ? has : 'no keys'}`);
  }
  const { looked, complete, neededKeys, inPlainText } = openSessions;
  const need = neededKeys.length === 0 ? 'none needs a key' : `need ${neededKeys.join(', ')}`;
  printLine(`open sessions  ${looked}${complete ? '' : ' checked, there are more'}: ${need}`);
  if (inPlainText > 0) printLine(`               ${inPlainText} with data in plain text`);
  printLine(`next           ${next.text}`);
}

/** Everything that `paysession keys check` found. */
interface KeyCheck {
  /** Ids of the keys in the settings, the one that encrypts first. */
  readonly here: readonly string[];
  readonly workers: readonly WorkerKeys[];
  readonly openSessions: KeyUse;
  readonly next: NextStep;
}

interface WorkerKeys {
  /** Its identity at the engine, without what that says of its keys. */
  readonly name: string;
  readonly encrypts: boolean;
  /** Ids as the worker started; `undefined` where its data converter is not ours. */
  readonly keyIds: readonly string[] | undefined;
}

/** Throws `PaysessionError` `ENGINE_UNAVAILABLE`. */
export async function check(settings: TemporalSettings, limit: number): Promise<KeyCheck> {
  const { connection, namespace } = await connectTemporal(settings);
  try {
    const client = new Client({ connection, namespace });
    const here = settings.encryption === undefined ? [] : allKeys(settings.encryption).map(({ id }) => id);
    const pollers = await pollersOf(client, settings.taskQueue);
    const workers = newestOfEachName(pollers).map(({ identity }) => keysOf(identity));
    const openSessions = await readKeyUse(client, settings.taskQueue, limit);
    return { here, workers, openSessions, next: nextStep({ here, workers, use: openSessions }) };
  } finally {
    await connection.close();
  }
}

/** A worker that was started again under its name has taken the place of the one before, which the engine still lists. */
function newestOfEachName(pollers: readonly Poller[]): readonly Poller[] {
  const oldestFirst = pollers.filter(({ recent }) => recent).sort((a, b) => a.polledAtMs - b.polledAtMs);
  return [...new Map(oldestFirst.map((poller) => [workerNameOf(poller.identity), poller])).values()];
}

function keysOf(identity: string): WorkerKeys {
  const encryption = encryptionOf(identity);
  if (encryption === undefined) return { name: workerNameOf(identity), encrypts: false, keyIds: [] };
  const { keyIds } = encryption;
  return { name: workerNameOf(identity), encrypts: true, keyIds: keyIds.length === 0 ? undefined : keyIds };
}
