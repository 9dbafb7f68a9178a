import type { Call, Stage } from '../plan/plan';

/** The name under which a campaign's sessions are recorded in the ledger: its `environment` option. */
export const LEDGER_ENVIRONMENT = 'faults';

/** The settings in the environment of a worker's process, as JSON. */
export interface WorkerEnvironment {
  readonly temporal: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly accounts: Readonly<
    Record<string, { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string }>
  >;
  /** The encryption keys. The first one encrypts, and all of them decrypt; `secret` is base64. */
  readonly keys: readonly { readonly id: string; readonly secret: string }[];
  readonly logFile: string;
  /** The URL of the worker's ledger. @default no ledger */
  readonly ledger?: string;
  /** The worker's endpoint of hints. */
  readonly hints: { readonly port: number; readonly secret: string };
  /** The version of the worker. @default no version, with the current code */
  readonly version?: WorkerVersion;
}

/** A version of the workers: a worker deployment version of Temporal. */
export interface WorkerVersion {
  readonly name: string;
  readonly buildId: string;
  /** The path of the workflow bundle. @default the current code */
  readonly bundlePath?: string;
}

/** A worker's message that a call has reached a stage and waits there for the campaign's answer. */
export interface PassRequest {
  /** The number of the request. The answer repeats it as `passed`. */
  readonly pass: number;
  /** The session's key. */
  readonly session: string;
  readonly call: Call;
  readonly stage: Stage;
}

export type FromWorker = { readonly ready: true } | PassRequest;

/** The campaign's message to a worker. It lets a waiting call continue, or sets the worker's clock wrong by `clockOffMs`. */
export type ToWorker = { readonly passed: number } | { readonly clockOffMs: number };
