import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEVELOPMENT_DYNAMIC_CONFIG } from '../../../src/temporal-server';
import type { ClusterService } from './cluster';
import type { DatabaseLogin } from './database';
import type { DATABASES } from './schema';
import { TEMPORAL_HOST } from '../../../src/temporal-server/start-server';

/** The ports on which a node listens. */
export interface NodePorts {
  readonly grpc: number;
  /** The port at which the nodes exchange membership. */
  readonly membership: number;
}

/** The name, service and ports of a node. They are chosen before any node starts. */
export interface NodePlan {
  readonly name: string;
  readonly service: ClusterService;
  readonly ports: NodePorts;
}

/** The number of history shards. It is large enough that each history node owns some. */
const SHARDS = 8;

const MAX_CONNECTIONS = { default: 20, visibility: 5 };

const NO_ARCHIVE = { history: { state: 'disabled' }, visibility: { state: 'disabled' } };

/** Configuration that all nodes share. */
export interface SharedConfig {
  readonly login: DatabaseLogin;
  /** Values in addition to the development server's, each as JSON. */
  readonly dynamicConfig: Readonly<Record<string, string>>;
}

/** Writes each node's configuration to a folder with the node's name. The server reads YAML, which includes JSON. */
export async function writeConfigs(
  folder: string,
  plans: readonly NodePlan[],
  { login, dynamicConfig }: SharedConfig,
): Promise<void> {
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml');
  const values = Object.entries({ ...DEVELOPMENT_DYNAMIC_CONFIG, ...dynamicConfig }).map(([key, json]) => [
    key,
    [{ value: JSON.parse(json) as unknown }],
  ]);
  await writeFile(dynamicConfigFile, JSON.stringify(Object.fromEntries(values)));
  for (const plan of plans) {
    await mkdir(join(folder, plan.name));
    const config = {
      log: { stdout: true, level: 'error' },
      persistence: {
        defaultStore: 'default',
        visibilityStore: 'visibility',
        numHistoryShards: SHARDS,
        datastores: {
          default: { sql: store('temporal', MAX_CONNECTIONS.default, login) },
          visibility: { sql: store('temporal_visibility', MAX_CONNECTIONS.visibility, login) },
        },
      },
      global: { membership: { maxJoinDuration: '30s', broadcastAddress: TEMPORAL_HOST } },
      services: servicesOf(plan, plans),
      clusterMetadata: clusterMetadata(plans),
      dcRedirectionPolicy: { policy: 'noop' },
      archival: NO_ARCHIVE,
      namespaceDefaults: { archival: NO_ARCHIVE },
      dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '60s' },
    };
    // Only this user may read it: it contains the database's password.
    await writeFile(join(folder, plan.name, 'development.yaml'), JSON.stringify(config), { mode: 0o600 });
  }
}

function store(databaseName: keyof typeof DATABASES, maxConns: number, login: DatabaseLogin) {
  const { port, user, password } = login;
  return {
    pluginName: 'postgres12',
    databaseName,
    connectAddr: `${TEMPORAL_HOST}:${port}`,
    connectProtocol: 'tcp',
    user,
    password,
    maxConns,
    maxIdleConns: maxConns,
    maxConnLifetime: '1h',
  };
}

/**
 * Returns the services in a node's configuration. The node announces the ports of its own service to the other nodes. The configuration
 * also has entries for other services, because the server requires them.
 */
function servicesOf(own: NodePlan, plans: readonly NodePlan[]) {
  const rpc = ({ ports }: NodePlan) => ({
    rpc: { grpcPort: ports.grpc, membershipPort: ports.membership, bindOnIP: TEMPORAL_HOST },
  });
  return Object.fromEntries([...plans, own].map((plan) => [plan.service, rpc(plan)]));
}

/**
 * Returns the description of a single cluster. Every node must get the same description. If a node's description differs from the stored
 * one, the node overwrites the stored one.
 */
function clusterMetadata(plans: readonly NodePlan[]) {
  const frontend = plans.find(({ service }) => service === 'frontend');
  return {
    enableGlobalNamespace: false,
    failoverVersionIncrement: 10,
    masterClusterName: 'active',
    currentClusterName: 'active',
    clusterInformation: {
      active: {
        enabled: true,
        initialFailoverVersion: 1,
        rpcName: 'frontend',
        rpcAddress: `${TEMPORAL_HOST}:${frontend?.ports.grpc ?? 0}`,
      },
    },
  };
}
