import type { Call, Stage } from '../plan/plan';

/** Whose sessions stand in the ledger of a campaign. */
export const LEDGER_ENVIRONMENT = 'faults';

/** What a worker's process is given in its environment, as JSON. */
export interface WorkerEnvironment {
  readonly engine: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly accounts: Readonly<
    Record<string, { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string }>
  >;
  /** The first one encrypts; `secret` is base64. */
  readonly keys: readonly { readonly id: string; readonly secret: string }[];
  readonly logFile: string;
  /** The URL of its PostgreSQL. @default it has no ledger */
  readonly ledger?: string;
  /** What the worker is a version of. @default it has no version, and runs the code of now */
  readonly version?: WorkerVersion;
}

/** A version of the workers, as Temporal's worker deployments have it. */
export interface WorkerVersion {
  readonly name: string;
  readonly buildId: string;
  /** The workflow's code. @default the code of now */
  readonly bundlePath?: string;
}

/** A call has come to a stage, and waits there. */
export interface PassRequest {
  readonly pass: number;
  /** The session's key. */
  readonly session: string;
  readonly call: Call;
  readonly stage: Stage;
}

export type FromWorker = { readonly ready: true } | PassRequest;

/** It may go on, or its clock is put off by so many milliseconds. */
export type ToWorker = { readonly passed: number } | { readonly clockOffMs: number };
