import { once } from 'node:events';
import { connect } from 'node:net';
import { Connection } from '@temporalio/client';
import { grpc } from '@temporalio/proto';
import { untilItWorks } from '../../../src/temporal-server/await-serving';
import type { ClusterNode } from './cluster';
import type { NodePlan } from './node-config';
import {
  TEMPORAL_HOST,
  spawnTemporalServer,
  type TemporalServerProcess,
} from '../../../src/temporal-server/start-server';

export interface NodeOptions {
  readonly server: string;
  /** The folder that has a configuration folder for each node, with the node's name. */
  readonly folder: string;
}

const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 2_000;

const { SERVING } = grpc.health.v1.HealthCheckResponse.ServingStatus;

/** The name of each service in its health check. The worker service has no health check. */
const HEALTH_NAMES = {
  frontend: 'temporal.api.workflowservice.v1.WorkflowService',
  history: 'temporal.api.workflowservice.v1.HistoryService',
  matching: 'temporal.api.workflowservice.v1.MatchingService',
} as const;

/** A node that can be killed and started again. */
export class Node {
  #process: TemporalServerProcess | undefined;
  readonly #options: NodeOptions;

  constructor(
    readonly plan: NodePlan,
    options: NodeOptions,
  ) {
    this.#options = options;
  }

  get now(): ClusterNode {
    const { name, service } = this.plan;
    return { name, service, ...(this.#process !== undefined && { pid: this.#process.pid }) };
  }

  /** HOST:PORT of the node's gRPC server. */
  get address(): string {
    return `${TEMPORAL_HOST}:${this.plan.ports.grpc}`;
  }

  /** Starts the node. Throws an `Error` with the end of its output if the node ends, or does not serve in time. */
  async start(): Promise<void> {
    const { name, service } = this.plan;
    if (this.#process !== undefined) throw new Error(`${name} runs already`);
    const { server, folder } = this.#options;
    const place = ['--root', folder, '--config', name, '--env', 'development', '--allow-no-auth'];
    const started = await spawnTemporalServer({
      executable: server,
      args: [...place, 'start', '--service', service],
      // A graceful end is not needed, because the cluster's data is deleted.
      stopSignal: 'SIGKILL',
    });
    this.#process = started;
    const ended = new AbortController();
    void started.exited.then(() => {
      ended.abort();
      if (this.#process === started) this.#process = undefined;
    });
    const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
    try {
      await this.#serving(AbortSignal.any([ended.signal, timeout]));
    } catch (cause) {
      await started.stop();
      throw new Error(`${name} did not start. ${started.output.text}`, { cause });
    }
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined) throw new Error(`${this.plan.name} is down already`);
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  async #serving(signal: AbortSignal): Promise<void> {
    const { service, ports } = this.plan;
    if (service === 'worker') {
      await untilItWorks(signal, () => accepts(ports.membership));
      return;
    }
    const connection = Connection.lazy({ address: this.address, interceptors: [] });
    try {
      await untilItWorks(signal, () =>
        connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
          const { status } = await connection.healthService.check({ service: HEALTH_NAMES[service] });
          // A history node is SERVING once it has its shards.
          if (status !== SERVING) throw new Error(`it answers health status ${status}`);
        }),
      );
    } finally {
      await connection.close();
    }
  }
}

async function accepts(port: number): Promise<void> {
  const socket = connect({ port, host: TEMPORAL_HOST });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
