/** The services that a Temporal cluster consists of. */
export type ClusterService = 'frontend' | 'history' | 'matching' | 'worker';

/** One process of the cluster. */
export interface ClusterNode {
  /** The service and a number, such as `history-1`. */
  readonly name: string;
  readonly service: ClusterService;
  /** Absent while the node is down. */
  readonly pid?: number;
}

/**
 * The way to stop PostgreSQL. `fast` ends its connections and shuts down. `immediate` drops everything, as a crash
 * does, and PostgreSQL recovers from its log when it starts again.
 */
export type DatabaseStop = 'fast' | 'immediate';

/** A Temporal cluster on this machine's loopback address. The cluster ends at the latest when this process ends. */
export interface Cluster {
  /** HOST:PORT for clients and workers. Each connection to it reaches a running frontend. */
  readonly address: string;
  /** The registered namespace, with the search attributes of payment sessions. */
  readonly namespace: string;
  /** All nodes in their current state. */
  readonly nodes: readonly ClusterNode[];
  /** The main process of the current database, not of its standby. */
  readonly databasePid: number;
  /**
   * Kills a node with SIGKILL, and resolves when it has ended. Throws an `Error` if the node is down or does not
   * exist.
   */
  killNode(name: string): Promise<void>;
  /**
   * Starts a node that is down, with its previous ports, and resolves when it serves. Throws an `Error` if the node
   * is running or does not exist.
   */
  startNode(name: string): Promise<void>;
  /** Stops PostgreSQL and starts it again. Resolves when PostgreSQL accepts connections. @param options.mode default: `fast` */
  restartDatabase(options?: { readonly mode?: DatabaseStop }): Promise<void>;
  /**
   * Drops PostgreSQL for good and makes its standby the database. The standby has all committed data. Resolves when the
   * new database has a standby of its own. Throws an `Error` if the cluster was started without a standby.
   */
  failOver(): Promise<void>;
  /** Ends all processes and deletes their files. May be called more than once. */
  stop(): Promise<void>;
}
