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

/** Which Temporal server a scene is recorded on: the server for development, in real time, or the test server, whose time skips. */
export type TemporalName = 'development server' | 'test server';

interface Opened {
  readonly sessionId: string;
  readonly session: PaymentSessionHandle;
}

/** What every scene has: one session, by the scene's own key. */
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

/** In real time, with a worker that can be stopped and started. */
export interface LiveStage extends Stage {
  readonly taskQueue: string;
  readonly startWorker: (options?: StartWorkerOptions) => Promise<void>;
  readonly stopWorker: () => Promise<void>;
  /** An input for another session beside the scene's own. */
  readonly other: (request: SessionRequest) => PaymentSessionInput;
}

/** In virtual time. */
export interface VirtualStage extends Stage {
  readonly payor: (sessionId: string) => WorldPayor;
  readonly advance: (duration: Duration) => Promise<void>;
}

interface About {
  /** What the session goes through, in a line. */
  readonly tells: string;
  /** What it must have come to when the scene is over. */
  readonly expected: Ending;
  /** The same for the runs before the last one, where it continued as new. */
  readonly before?: readonly Ending[];
}

export interface LiveScene extends About {
  readonly world?: WorldOptions;
  /** Whether the Temporal server suggests to continue as new after forty events. @default false */
  readonly continues?: boolean;
  /** Whether the worker has a ledger, on a PostgreSQL of its own. @default false */
  readonly hasLedger?: boolean;
  readonly play: (stage: LiveStage) => Promise<unknown>;
}

export interface VirtualScene extends About {
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
  readonly playInVirtualTime: (stage: VirtualStage) => Promise<unknown>;
}

export type Scene = LiveScene | VirtualScene;

/** Each scene by its name, which is also its session's key and its file's name. */
export type Scenes = Readonly<Record<string, Scene>>;

export function temporalOf(scene: Scene): TemporalName {
  return 'play' in scene ? 'development server' : 'test server';
}
