import type { Worker as Thread } from 'node:worker_threads';
import {
  ThreadedVMWorkflowCreator,
  type WorkerThreadClient,
} from '@temporalio/worker/lib/workflow/threaded-vm';

// Workers run workflow code in threads. Starting a thread takes longer than most tests, because it loads Temporal’s packages and the
// workflow bundle. So this module keeps the threads of a closed worker, and lends them to the next worker. Workers that run at the
// same time have different threads.

type Creator = ThreadedVMWorkflowCreator;
type Options = Parameters<typeof ThreadedVMWorkflowCreator.create>[0];

/** The SDK’s client of a workflow thread, with members that the SDK’s types hide. */
interface Client extends Pick<WorkerThreadClient, 'getActiveWorkflowCount'> {
  logger: Options['logger'];
  readonly workerThread: Thread;
  readonly workerExited: boolean;
  readonly requestIdToCompletion: ReadonlyMap<bigint, unknown>;
}

interface Idle {
  readonly options: Options;
  readonly creator: Creator;
  /** Ends the threads. */
  readonly destroy: () => Promise<void>;
}

/** The maximum number of creators that a process keeps for later workers. A creator has the threads of one worker. */
const MAX_IDLE = 2;

const LENDING = Symbol.for('paysession.lendsThreads');
const sdk = ThreadedVMWorkflowCreator as typeof ThreadedVMWorkflowCreator & { [LENDING]?: true };

// All test files of a process share the SDK, so an earlier file may already have replaced the SDK’s function.
if (sdk[LENDING] === undefined) {
  sdk[LENDING] = true;
  lendThreads(sdk.create.bind(sdk));
}

function lendThreads(create: typeof ThreadedVMWorkflowCreator.create): void {
  const idle: Idle[] = [];

  sdk.create = async (options) => {
    if (options.patchActivationCallback !== undefined) return create(options);
    const place = idle.findIndex((one) => isSame(one.options, options));
    const [lent] = place < 0 ? [] : idle.splice(place, 1);
    const creator = lent?.creator ?? (await create(options));
    for (const client of clientsOf(creator)) {
      client.logger = options.logger;
      client.workerThread.ref();
    }
    if (lent === undefined) returnAtEnd(creator, options);
    return creator;
  };

  function returnAtEnd(creator: Creator, options: Options): void {
    const destroy = creator.destroy.bind(creator);
    creator.destroy = async () => {
      const clients = clientsOf(creator);
      if (!clients.every(isFree)) return destroy();
      for (const { workerThread } of clients) workerThread.unref();
      idle.push({ options, creator, destroy });
      if (idle.length > MAX_IDLE) await idle.shift()?.destroy();
    };
  }
}

const clientsOf = (creator: Creator): readonly Client[] =>
  (creator as unknown as { readonly workerThreadClients: readonly Client[] }).workerThreadClients;

const isFree = (client: Client): boolean =>
  !client.workerExited && client.getActiveWorkflowCount() === 0 && client.requestIdToCompletion.size === 0;

function isSame(one: Options, other: Options): boolean {
  const names = ({ registeredActivityNames }: Options) => [...registeredActivityNames].sort().join();
  return (
    one.threadPoolSize === other.threadPoolSize &&
    one.isolateExecutionTimeoutMs === other.isolateExecutionTimeoutMs &&
    one.reuseV8Context === other.reuseV8Context &&
    names(one) === names(other) &&
    one.workflowBundle.code === other.workflowBundle.code
  );
}
