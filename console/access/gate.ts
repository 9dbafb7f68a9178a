import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LogEntry } from '../log';
import type { Operator } from './access';

/** Somebody who was let in. */
export interface Visitor {
  readonly operator: Operator;
  /** What forms are bound to: another for everybody, and for each login. */
  readonly loginId: string;
  /** When the login ends, in milliseconds since the epoch. @default never */
  readonly endsAtMs?: number;
}

/** What a gate tells the console. */
export interface GateEvents {
  readonly log: (entry: LogEntry) => void;
  /** Somebody has logged out: what is still being sent to this login ends. */
  readonly loggedOut: (loginId: string) => void;
}

/** One of the ways to find out who asks. */
export interface Gate {
  /** Who asks; `undefined` where they have to log in first. Throws `Refusal` for who may not come in. */
  visitorOf(request: FastifyRequest): Promise<Visitor | undefined>;
  /** Adds the pages to log in and out by. @default there are none */
  addRoutes?(app: FastifyInstance): void;
}
