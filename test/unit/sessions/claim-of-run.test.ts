import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { eft } from '../../support/requests';
import { GRPC } from '../../../src/protocol/temporal/grpc';
import { readClaim } from '../../../src/sessions/stored-start';

const OWN = { key: 'order-1', firstRunId: 'first' };

const LABELLED = { metadata: { customer: 'cus_42' }, policy: { searchableMetadata: ['customer'] } };

/** A run and the first run of its workflow. */
type Run = readonly [runId: string, firstRunId: string];

/** Returns a client of a Temporal server that still has these runs, newest last. */
const keeping = (...runs: readonly Run[]): Client => keepingInput({}, ...runs);

/** Returns such a client. The input of the runs also has `more`. */
function keepingInput(more: object, ...runs: readonly Run[]): Client {
  const getWorkflowExecutionHistory = async ({ execution }: { execution: { runId?: string } }) => {
    const { runId } = execution;
    const found = runs.findLast(([one]) => runId === undefined || one === runId);
    if (found === undefined)
      throw Object.assign(new Error('not found'), {
        code: GRPC.NOT_FOUND,
        details: 'not found',
        metadata: {},
      });
    const payload = defaultPayloadConverter.toPayload({ key: OWN.key, request: eft(), ...LABELLED, ...more });
    const started = { input: { payloads: [payload] }, firstExecutionRunId: found[1] };
    const eventTime = { seconds: { toNumber: () => 1_772_000_000 }, nanos: 0 };
    const event = { eventTime, workflowExecutionStartedEventAttributes: started };
    return Promise.resolve({ history: { events: [event] } });
  };
  const loadedDataConverter = { payloadCodecs: [], payloadConverter: defaultPayloadConverter };
  const client = {
    options: { namespace: 'default', loadedDataConverter },
    workflowService: { getWorkflowExecutionHistory },
  };
  return client as unknown as Client;
}

// The ledger needs a workflow's claim of its key. `readClaim` reads it from the workflow's history in Temporal.
test('a workflow’s claim is read from its first run, or from a later run if Temporal has dropped the first run', async () => {
  const { metadata } = LABELLED;
  const claim = { ...OWN, account: 'default', request: eft(), metadata, searchable: ['customer'] };
  expect(await readClaim(keeping(['first', 'first'], ['second', 'first']), OWN)).toMatchObject(claim);
  expect(await readClaim(keeping(['second', 'first']), OWN, 'second')).toMatchObject(claim);
  expect(await readClaim(keeping(['second', 'first']), OWN)).toMatchObject(claim);
});

test('a workflow’s claim has the default account also if its input has the account null', async () => {
  expect(await readClaim(keepingInput({ account: null }, ['first', 'first']), OWN)).toMatchObject({
    account: 'default',
  });
});

test('a workflow’s claim is not read from another workflow that has the key now', async () => {
  await expect(readClaim(keeping(['third', 'third']), OWN)).rejects.toThrow('not found');
  await expect(readClaim(keeping(), OWN, 'first')).rejects.toThrow('not found');
});
