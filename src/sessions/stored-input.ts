import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { toMs } from './timestamps';
import { isRecord } from '../contract/values/json';
import { decodePayloads } from '../encryption/payload-codec';
import type { PaymentSessionInput } from '../protocol/input';

type Started = NonNullable<temporal.api.history.v1.IHistoryEvent['workflowExecutionStartedEventAttributes']>;

/** What the first event of a run says, the newest run's if none is named. Throws what the engine answers. */
export async function startOf(client: Client, execution: Execution): Promise<Started | undefined> {
  return (await firstEventOf(client, execution))?.workflowExecutionStartedEventAttributes ?? undefined;
}

interface Execution {
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

async function firstEventOf(client: Client, { workflowId, runId }: Execution) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, ...(runId !== undefined && { runId }) },
    maximumPageSize: 1,
  });
  return history?.events?.[0];
}

/** What a session's workflow asks for, and when it began. */
export interface StoredStart {
  readonly input: PaymentSessionInput;
  /** The first run of the workflow; this one, unless that has continued as new or was reset. */
  readonly firstRunId: string | undefined;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/**
 * The input of a session, from the first event of its history: also where no worker is there, and where nobody wrote down what
 * else could tell it. `undefined` if it is not one: the workflow has refused it. Throws what the engine and the codecs answer.
 */
export async function readStoredInput(
  client: Client,
  workflowId: string,
): Promise<PaymentSessionInput | undefined> {
  return (await readStoredStart(client, { workflowId }))?.input;
}

/** The same, with the time of the run's start. */
export async function readStoredStart(
  client: Client,
  execution: Execution,
): Promise<StoredStart | undefined> {
  const event = await firstEventOf(client, execution);
  const started = event?.workflowExecutionStartedEventAttributes;
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  // A run that was continued carries its record as well.
  const { namespace } = client.options;
  const context = { type: 'workflow', namespace, workflowId: execution.workflowId } as const;
  const [payload] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? [], context);
  const input: unknown = payload && payloadConverter.fromPayload(payload);
  if (event?.eventTime == null || !isRecord(input) || !isRecord(input['request'])) return undefined;
  return {
    input: input as unknown as PaymentSessionInput,
    firstRunId: started?.firstExecutionRunId ?? undefined,
    at: new Date(toMs(event.eventTime)).toISOString(),
  };
}
