import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { isKeyId, KEY_ID } from '../../../src/protocol/temporal/encrypted-payload';
import { openSessionsOn } from '../../../src/sessions';

/** Which keys the open sessions were encrypted with, as far as they were looked at. */
export interface KeyUse {
  /** How many sessions were looked at. */
  readonly looked: number;
  /** Whether that was all of them. */
  readonly complete: boolean;
  readonly neededKeys: readonly string[];
  /** How many of them hold data in plain text: they wait where encryption is required. */
  readonly inPlainText: number;
  /** How long the namespace keeps ended sessions, such as `72 h`, if the engine tells. */
  readonly retention?: string;
}

const PAGE = 100;
const CALLS_AT_ONCE = 10;

/** Reads the histories of open sessions, the newest first, at most `limit`. Nothing is decrypted. */
export async function readKeyUse(client: Client, taskQueue: string, limit: number): Promise<KeyUse> {
  const { ids, complete } = await openSessions(client, taskQueue, limit);
  const keys = new Set<string>();
  let inPlainText = 0;
  for (let at = 0; at < ids.length; at += CALLS_AT_ONCE) {
    const some = ids.slice(at, at + CALLS_AT_ONCE).map((id) => payloadsOf(client, id));
    for (const payloads of await Promise.all(some)) {
      for (const key of payloads.flatMap((payload) => keyOf(payload) ?? [])) keys.add(key);
      if (payloads.some(isPlain)) inPlainText += 1;
    }
  }
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

type History = temporal.api.history.v1.IHistory;

async function payloadsOf(client: Client, workflowId: string): Promise<readonly Payload[]> {
  const payloads: Payload[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId },
      ...(nextPageToken !== undefined && { nextPageToken }),
    });
    payloads.push(...payloadsIn(page.history ?? {}));
    nextPageToken = page.nextPageToken.length === 0 ? undefined : page.nextPageToken;
  } while (nextPageToken !== undefined);
  return payloads;
}

/** What the codec does not see: the engine’s own index, headers, and what the SDK notes in a marker for itself. */
const NOT_OF_THE_SESSION = ['searchAttributes', 'header'];
const NOTES_OF_THE_SDK = ['patch-data'];

function payloadsIn(history: History): Payload[] {
  return (history.events ?? []).flatMap((event) => {
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

/** No other message of a history has both. */
function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value;
}

/** Whoever sent the payload chose the id: one that is malformed is no key’s. */
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
