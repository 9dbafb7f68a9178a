import { randomUUID } from 'node:crypto';
import { Client, type ConnectionLike, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { encryptedDataConverter, type EncryptionKeys } from '../../../src';
import type * as callers from './nexus-callers';
import { bundled } from '../setup/bundled';
import { use } from './use';
import { until } from '../wait';
import type { World } from './world';

const TEMPORAL = process.env['PAYSESSION_TEST_TEMPORAL'] ?? '';
const DAY_S = 86_400;

/** A second namespace, whose workflows call the world’s payment sessions through a Nexus endpoint. */
export interface CallerNamespace {
  start<W extends keyof typeof callers>(
    workflow: W,
    input: unknown,
  ): Promise<WorkflowHandleWithFirstExecutionRunId<(typeof callers)[W]>>;
  close(): Promise<void>;
}

/**
 * Starts a namespace of callers for all tests of a file.
 *
 * @param encryption the keys of the callers. @default none
 */
export function useCallerNamespace(world: World, encryption?: EncryptionKeys): CallerNamespace {
  return use(
    () => createCallerNamespace(world, encryption),
    (callers) => callers.close(),
  );
}

/** Starts a namespace of callers with a worker. The worker runs until `close` is called. */
export async function createCallerNamespace(
  world: World,
  encryption: EncryptionKeys | undefined,
): Promise<CallerNamespace> {
  const { connection } = world.client.workflow;
  const namespace = `callers-${randomUUID()}`;
  const endpoint = `payments-${randomUUID()}`;
  await createNamespace(connection, namespace);
  await connection.operatorService.createNexusEndpoint({
    spec: { name: endpoint, target: { worker: { namespace: 'default', taskQueue: world.taskQueue } } },
  });
  // The payment sessions’ answers were encrypted for the namespace `default`. So the callers must decrypt with that name.
  const converting = encryption && {
    dataConverter: encryptedDataConverter(encryption, { namespaces: ['default'] }),
  };
  const native = await NativeConnection.connect({ address: TEMPORAL });
  const taskQueue = 'callers';
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle: await bundled(require.resolve('./nexus-callers')),
    ...converting,
  });
  const running = worker.run();
  const client = new Client({ connection, namespace, ...converting });
  return {
    start: (workflow, input) =>
      client.workflow.start(workflow, {
        taskQueue,
        workflowId: randomUUID(),
        args: [endpoint, input] as never,
      }),
    close: async () => {
      worker.shutdown();
      await running;
      await native.close();
    },
  };
}

/** Creates a namespace, and waits until all parts of the Temporal server know it. */
async function createNamespace(connection: ConnectionLike, namespace: string): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: DAY_S as never },
  });
  const client = new Client({ connection, namespace });
  await until(
    () =>
      client.workflow.count().then(
        () => true,
        () => false,
      ),
    (isKnown) => isKnown,
  );
}
