import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { google } from '@temporalio/proto';
import type { OnProgress } from '../../../src/temporal-server';
import { awaitServing, untilItWorks } from '../../../src/temporal-server/await-serving';
import { SEARCH_ATTRIBUTES } from '../../../src';
import type { Cluster, ClusterService } from './cluster';
import { startDatabase, type Database } from './database';
import { Node } from './node';
import { writeConfigs, type NodePlan } from './node-config';
import { freePorts } from './ports';
import { resolveClusterPrograms } from './programs';
import { startRelay, type Relay } from './relay';
import { createSchema } from './schema';

export interface StartClusterOptions {
  /** Called with each line of progress. @default none */
  readonly onProgress?: OnProgress;
  /** True if PostgreSQL has a standby for `failOver`. @default false */
  readonly standby?: boolean;
  /** Dynamic configuration in addition to the development server's, each value as JSON. @default none */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
}

/**
 * The number of nodes of each service. Sessions depend on three of the services, and each of these has two nodes, so that one of them may
 * be lost.
 */
const SIZES: Readonly<Record<ClusterService, number>> = { frontend: 2, history: 2, matching: 2, worker: 1 };

const NAMESPACE = 'default';
const RETENTION_S = 24 * 60 * 60;
const SERVING_TIMEOUT_MS = 60_000;

/**
 * Starts PostgreSQL and a Temporal cluster of seven nodes, and waits until it serves. Throws `TemporalServerNotFoundError` if
 * the server is not cached and cannot be built. Throws an `Error` that names a missing program, or a process that did not
 * start.
 */
export async function startCluster({
  onProgress,
  standby = false,
  dynamicConfig = {},
}: StartClusterOptions = {}): Promise<Cluster> {
  const { server, sqlTool } = await resolveClusterPrograms(onProgress);
  const folder = await mkdtemp(join(tmpdir(), 'paysession-cluster-'));
  // PostgreSQL may run as another user. That user must be able to open its own folder inside this one.
  await chmod(folder, 0o711);
  const parts: { database?: Database; nodes: Node[]; front?: Relay } = { nodes: [] };
  const stop = async () => {
    const { database, nodes, front } = parts;
    parts.nodes = [];
    delete parts.database;
    delete parts.front;
    await front?.close();
    await Promise.all(nodes.map((node) => node.stop()));
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const plans = await planNodes();
    const database = await startDatabase({ folder: join(folder, 'postgresql'), standby });
    parts.database = database;
    await createSchema(sqlTool, database.login);
    await writeConfigs(folder, plans, { login: database.login, dynamicConfig });
    const nodes = plans.map((plan) => new Node(plan, { server, folder }));
    parts.nodes = nodes;
    await startAll(nodes);
    const frontends = portsOf(plans, 'frontend');
    const front = await startRelay(() => frontends);
    parts.front = front;
    return clusterOf({ database, nodes, address: front.address, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function planNodes(): Promise<readonly NodePlan[]> {
  const names = Object.entries(SIZES).flatMap(([service, count]) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${service}-${index + 1}`,
      service: service as ClusterService,
    })),
  );
  const ports = await freePorts(2 * names.length);
  return names.map((node, index) => ({
    ...node,
    ports: { grpc: ports[2 * index] ?? 0, membership: ports[2 * index + 1] ?? 0 },
  }));
}

const portsOf = (plans: readonly NodePlan[], wanted: ClusterService): readonly number[] =>
  plans.filter(({ service }) => service === wanted).map(({ ports }) => ports.grpc);

/**
 * Starts all nodes in the necessary order. One frontend comes first: it writes the description of the cluster to the database, and other
 * nodes would interfere. Then the namespace is registered, so that all later nodes know it from their start. The worker service comes last,
 * because it gives up if it finds no frontend.
 */
async function startAll(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes;
  if (first === undefined) return;
  const isWorker = ({ plan }: Node) => plan.service === 'worker';
  await first.start();
  await prepareNamespace(first.address);
  await Promise.all(others.filter((node) => !isWorker(node)).map((node) => node.start()));
  await Promise.all(others.filter(isWorker).map((node) => node.start()));
}

/** Registers the namespace with its search attributes, and waits until the frontend at the address knows both. */
async function prepareNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const signal = AbortSignal.timeout(SERVING_TIMEOUT_MS);
  try {
    await connection.workflowService.registerNamespace({
      namespace: NAMESPACE,
      workflowExecutionRetentionPeriod: google.protobuf.Duration.fromObject({ seconds: RETENTION_S }),
    });
    await awaitServing({
      address,
      namespace: NAMESPACE,
      searchAttributes: Object.values(SEARCH_ATTRIBUTES),
      signal,
    });
    await untilItWorks(signal, async () => {
      const query = `${SEARCH_ATTRIBUTES.status} = 'Initiated'`;
      await connection.workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query });
    });
  } finally {
    await connection.close();
  }
}

interface Parts {
  readonly database: Database;
  readonly nodes: readonly Node[];
  readonly address: string;
  readonly stop: () => Promise<void>;
}

function clusterOf({ database, nodes, address, stop }: Parts): Cluster {
  const nodeNamed = (name: string): Node => {
    const found = nodes.find(({ plan }) => plan.name === name);
    if (found !== undefined) return found;
    throw new Error(`There is no node ${name}, only ${nodes.map(({ plan }) => plan.name).join(', ')}`);
  };
  return {
    address,
    namespace: NAMESPACE,
    get nodes() {
      return nodes.map(({ now }) => now);
    },
    get databasePid() {
      return database.pid;
    },
    killNode: async (name) => nodeNamed(name).kill(),
    startNode: async (name) => nodeNamed(name).start(),
    restartDatabase: ({ mode = 'fast' } = {}) => database.restart(mode),
    failOver: () => database.failOver(),
    stop,
  };
}
