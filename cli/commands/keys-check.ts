import { Readable } from 'node:stream';
import type { Payload } from '@temporalio/common';
import { Client } from '@temporalio/client';
import { allKeys } from '../../src/encryption';
import { isKeyId, KEY_ID } from '../../src/protocol/temporal/encrypted-payload';
import { workerNameOf, encryptionOf } from '../../src/encryption/worker-encryption';
import { isGone, pollersOf, openSessionsOn } from '../../src/sessions';
import { connectTemporal, readTemporalSettings, type TemporalSettings } from '../../src/settings';
import { EXIT } from '../shared/exit-codes';
import { printJson, printLine, type JsonOption } from '../shared/output';
import { newestOfEachName } from './doctor/workers';
import { nextStep, type KeyUse, type NextStep } from './keys-next-step';

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
  for (const { name, encrypts, keyIds, mayHaveMore } of workers) {
    const has =
      keyIds === undefined
        ? 'keys unknown'
        : [...keyIds, ...(mayHaveMore ? ['perhaps more'] : [])].join(', ');
    printLine(`worker         ${name}: ${encrypts ? has : 'no keys'}`);
  }
  const { looked, complete, neededKeys, inPlainText } = openSessions;
  const need = neededKeys.length === 0 ? 'none needs a key' : `need ${neededKeys.join(', ')}`;
  printLine(`open sessions  ${looked}${complete ? '' : ' checked, there are more'}: ${need}`);
  if (inPlainText > 0) printLine(`               ${inPlainText} with data in plain text`);
  printLine(`next           ${next.text}`);
}

/** The result of `paysession keys check`. */
interface KeyCheck {
  /** The ids of the keys in the settings. The first key encrypts. */
  readonly here: readonly string[];
  readonly workers: readonly WorkerKeys[];
  readonly openSessions: KeyUse;
  readonly next: NextStep;
}

interface WorkerKeys {
  /** The worker's identity at the Temporal server, without the suffix about its ledger and keys. */
  readonly name: string;
  readonly encrypts: boolean;
  /** The ids of the keys with which the worker started, eight at most. `undefined` if the worker uses a data converter of its own. */
  readonly keyIds: readonly string[] | undefined;
  /** True if the worker may have more keys than its identity shows. */
  readonly mayHaveMore?: boolean;
}

/**
 * Finds out which keys are set on this machine, which keys the workers have, and which keys open sessions need. Throws `PaysessionError`
 * `TEMPORAL_UNAVAILABLE` if the connection fails, and the Temporal server's errors.
 */
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

function keysOf(identity: string): WorkerKeys {
  const encryption = encryptionOf(identity);
  const name = workerNameOf(identity);
  if (encryption === undefined) return { name, encrypts: false, keyIds: [] };
  const { required: _required, keyIds, ...more } = encryption;
  return { name, encrypts: true, keyIds: keyIds.length === 0 ? undefined : keyIds, ...more };
}

const PAGE = 100;
const CALLS_AT_ONCE = 10;

/** Reads the histories of the newest open sessions, `limit` at most. Returns the keys that these sessions need. Decrypts nothing. */
async function readKeyUse(client: Client, taskQueue: string, limit: number): Promise<KeyUse> {
  const { ids, complete } = await openSessions(client, taskQueue, limit);
  const keys = new Set<string>();
  let inPlainText = 0;
  const read = async (id: string): Promise<void> => {
    const payloads = await payloadsOf(client, id);
    for (const key of payloads.flatMap((payload) => keyOf(payload) ?? [])) keys.add(key);
    if (payloads.some(isPlain)) inPlainText += 1;
  };
  await Readable.from(ids).forEach(read, { concurrency: CALLS_AT_ONCE });
  const retention = await retentionOf(client);
  return {
    looked: ids.length,
    complete,
    neededKeys: [...keys].sort(),
    inPlainText,
    ...(retention !== undefined && { retention }),
  };
}

async function openSessions(client: Client, taskQueue: string, limit: number) {
  const ids: string[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      query: openSessionsOn(taskQueue),
      pageSize: PAGE,
      ...(nextPageToken !== undefined && { nextPageToken }),
    });
    ids.push(...page.executions.flatMap(({ execution }) => execution?.workflowId ?? []));
    nextPageToken = page.nextPageToken.length === 0 ? undefined : page.nextPageToken;
  } while (nextPageToken !== undefined && ids.length < limit);
  return { ids: ids.slice(0, limit), complete: nextPageToken === undefined && ids.length <= limit };
}

/** The fields whose payloads the codec never encrypts: search attributes, headers, and the SDK's own data in marker events. */
const NOT_OF_THE_SESSION = ['searchAttributes', 'header'];
const NOTES_OF_THE_SDK = ['patch-data'];

/** Returns the payloads of a session's history. Returns none if the index lists a session that Temporal no longer has. */
async function payloadsOf(client: Client, workflowId: string): Promise<readonly Payload[]> {
  const { events } = await client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch((error: unknown) => {
      if (isGone(error)) return { events: [] };
      throw error;
    });
  return (events ?? []).flatMap((event) => {
    const notes = event.markerRecordedEventAttributes == null ? [] : NOTES_OF_THE_SDK;
    return walk(event, [...NOT_OF_THE_SESSION, ...notes]);
  });
}

function walk(value: unknown, skipped: readonly string[]): Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if (isPayload(value)) return [value];
  return Object.entries(value).flatMap(([name, member]) =>
    skipped.includes(name) ? [] : walk(member, skipped),
  );
}

/** True if the value is a payload. Only a payload has both of these fields. */
function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value;
}

/** Returns the id of the key that encrypts a payload. Returns `undefined` if it is missing or malformed: the payload's sender chose it. */
function keyOf({ metadata }: Payload): string | undefined {
  const id = Buffer.from(metadata?.[KEY_ID] ?? []).toString();
  return isKeyId(id) ? id : undefined;
}

const isPlain = ({ metadata }: Payload): boolean =>
  Buffer.from(metadata?.['encoding'] ?? [])
    .toString()
    .startsWith('json/');

const SECONDS_OF_HOUR = 3_600;

async function retentionOf(client: Client): Promise<string | undefined> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  return seconds > 0 ? `${Math.ceil(seconds / SECONDS_OF_HOUR)} h` : undefined;
}
