import type { History, JSONPayload } from '@temporalio/common/lib/proto-utils';
import { WORKFLOW_ID_PREFIX } from '../../../workflows/protocol';
import { historyToJson } from '../history-json';
import { isOwnText } from './harmless';
import { sanitizePayload, type PayloadTools } from './payloads';

/**
 * A session's history as JSON that may be committed: every text of a payload is replaced by a fake of the same shape
 * unless its field is known to be harmless, as are workflow ids and messages of failures; machine names and stacks are
 * left out. It replays as the original does. Throws `HISTORY_UNREADABLE` for a payload that cannot be read.
 */
export async function sanitizeHistory(history: History, tools: PayloadTools): Promise<string> {
  return `${JSON.stringify(await walk(historyToJson(history), '', tools), null, 1)}\n`;
}

async function walk(value: unknown, field: string, tools: PayloadTools): Promise<unknown> {
  if (typeof value === 'string') return plainText(value, field, tools);
  if (Array.isArray(value)) return Promise.all(value.map((item) => walk(item, field, tools)));
  if (typeof value !== 'object' || value === null) return value;
  if (isPayload(value)) return sanitizePayload(value, field, tools);
  const members = Object.entries(withoutMachine(value)).map(
    async ([name, member]) => [name, await walk(member, name, tools)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

/** What the engine keeps in the open: only these of its texts may name a person, a payment or a machine. */
function plainText(text: string, field: string, { fakes }: PayloadTools): string {
  switch (field) {
    case 'workflowId':
      return text.startsWith(WORKFLOW_ID_PREFIX)
        ? `${WORKFLOW_ID_PREFIX}${fakes.text(text.slice(WORKFLOW_ID_PREFIX.length))}`
        : fakes.text(text);
    case 'message':
      return isOwnText(text) ? text : fakes.text(text);
    case 'identity':
    case 'originalRequestIdentity':
      return 'paysession';
    case 'stackTrace':
      return '';
    default:
      return text;
  }
}

/** Names of sticky queues hold the worker's host; whoever started the session may have described it as they liked. */
function withoutMachine(members: object): object {
  if ('kind' in members && members.kind === 'TASK_QUEUE_KIND_STICKY') return { ...members, name: 'sticky' };
  if (!('workflowExecutionStartedEventAttributes' in members) || !('userMetadata' in members)) return members;
  const { userMetadata, ...rest } = members;
  return rest;
}

function isPayload(value: object): value is JSONPayload {
  if (!('metadata' in value) || typeof value.metadata !== 'object' || value.metadata === null) return false;
  return 'encoding' in value.metadata;
}
