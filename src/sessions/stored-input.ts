import type { Client } from '@temporalio/client';
import { decodePayloads } from '../encryption/codecs';
import type { PaymentSessionInput } from '../protocol/input/input';
import { isRecord } from '../contract/values/is-record';

/**
 * The input of a session, from the first event of its history: also where no worker is there, and where nobody wrote down what
 * else could tell it. `undefined` if it is not one: the workflow has refused it. Throws what the engine and the codecs answer.
 */
export async function readStoredInput(
  client: Client,
  workflowId: string,
): Promise<PaymentSessionInput | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  // A run that was continued carries its record as well.
  const [payload] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? []);
  const input: unknown = payload && payloadConverter.fromPayload(payload);
  return isRecord(input) && isRecord(input['request'])
    ? (input as unknown as PaymentSessionInput)
    : undefined;
}
