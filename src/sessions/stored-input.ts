import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodePayloads } from '../encryption/codecs';
import type { PaymentSessionInput } from '../protocol/input/input';
import { isRecord } from '../contract/values/is-record';

type Started = NonNullable<temporal.api.history.v1.IHistoryEvent['workflowExecutionStartedEventAttributes']>;

/** What the first event of a run says, the newest run's if none is named. Throws what the engine answers. */
export async function startOf(
  client: Client,
  execution: { readonly workflowId: string; readonly runId?: string },
): Promise<Started | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes ?? undefined;
}

/**
 * The input of a session, from the first event of its history: also where no worker is there, and where nobody wrote down what
 * else could tell it. `undefined` if it is not one: the workflow has refused it. Throws what the engine and the codecs answer.
 */
export async function readStoredInput(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<PaymentSessionInput | undefined> {
  const started = await startOf(client, { workflowId, ...(runId !== undefined && { runId }) });
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  // A run that was continued carries its record as well.
  const [payload] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? []);
  const input: unknown = payload && payloadConverter.fromPayload(payload);
  return isRecord(input) && isRecord(input['request'])
    ? (input as unknown as PaymentSessionInput)
    : undefined;
}
