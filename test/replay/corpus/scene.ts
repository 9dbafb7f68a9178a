import type { Client } from '@temporalio/client';
import type {
  PaymentSessionHandle,
  PaymentSessionInput,
  PaymentSessions,
  SessionPolicy,
  SessionRequest,
} from '../../../src';
import type { Sandbox, SandboxOptions } from '../../../sandbox';
import type { WorldPayor } from '../../../testkit';
import type { Duration } from '../../../src/protocol/duration';
import type { StartWorkerOptions, WorldOptions } from '../../support/worlds/world';
import type { Ending } from './ending';

/** The Temporal server on which a scene is recorded: the development server in real time, or the test server in virtual time. */
export type TemporalName = 'development server' | 'test server';

interface Opened {
  readonly sessionId: string;
  readonly session: PaymentSessionHandle;
}

/** The surroundings in which a scene is played: a Temporal server, a sandbox and a session whose key is the scene’s name. */
export interface Stage {
  readonly key: string;
  readonly sandbox: Sandbox;
  readonly sessions: PaymentSessions;
  readonly client: Client;
  /** The scene's input. */
  readonly input: (request: SessionRequest, policy?: SessionPolicy) => PaymentSessionInput;
  /** Opens the scene's session. */
  readonly open: (request: SessionRequest, policy?: SessionPolicy) => Promise<Opened>;
}

/** A stage in real time. The scene can stop and start its worker. */
export interface LiveStage extends Stage {
  readonly taskQueue: string;
  readonly startWorker: (options?: StartWorkerOptions) => Promise<void>;
  readonly stopWorker: () => Promise<void>;
  /** Returns an input for a second session, with another key. */
  readonly other: (request: SessionRequest) => PaymentSessionInput;
}

/** A stage in virtual time. */
export interface VirtualStage extends Stage {
  readonly payor: (sessionId: string) => WorldPayor;
  readonly advance: (duration: Duration) => Promise<void>;
}

interface About {
  /** Describes the scene in one line. */
  readonly tells: string;
  /** The session's required end. */
  readonly expected: Ending;
  /** The required ends of earlier runs, if the session continued as new. */
  readonly before?: readonly Ending[];
}

export interface LiveScene extends About {
  readonly world?: WorldOptions;
  /** True if the Temporal server suggests to continue as new after forty events. @default false */
  readonly continues?: boolean;
  /** True if the worker has a ledger, on its own PostgreSQL. @default false */
  readonly hasLedger?: boolean;
  readonly play: (stage: LiveStage) => Promise<unknown>;
}

export interface VirtualScene extends About {
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
  readonly playInVirtualTime: (stage: VirtualStage) => Promise<unknown>;
}

export type Scene = LiveScene | VirtualScene;

/** Scenes by name. The name is also the session’s key and the name of the history’s file. */
export type Scenes = Readonly<Record<string, Scene>>;

export function temporalOf(scene: Scene): TemporalName {
  return 'play' in scene ? 'development server' : 'test server';
}
