import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HTTP_FAULTS } from './http-faults';

/** The calls of a session to the payment service at which something may happen. */
export const CALLS = ['create', 'details', 'cancel'] as const;
export type Call = (typeof CALLS)[number];

/** A moment in a session's life, told by what it does and never by a clock: its first create, its third poll. */
const pointSchema = z.strictObject({ call: z.enum(CALLS), occurrence: z.int().min(1).max(1_000) });
export type Point = z.infer<typeof pointSchema>;

/** Where in a call a process is struck. */
export const STAGES = ['beforeSend', 'afterSend', 'afterResponse', 'beforeReturn'] as const;
export type Stage = (typeof STAGES)[number];

/** What happens to a process. */
export const STRIKES = [
  'killWorker',
  'terminateWorker',
  'freezeWorker',
  'killEngine',
  'rotateKeys',
  'withholdKey',
  'rollOut',
] as const;
export type Strike = (typeof STRIKES)[number];

/** What callers do, each by itself or many at once. */
export const ACTS = [
  'state',
  'refresh',
  'refreshStorm',
  'duplicateStart',
  'conflictingStart',
  'cancelBySignal',
  'cancelByUpdate',
  'cancelByWorkflow',
  'cancelByAllRoutes',
  'updateStorm',
  'cancelPoisoned',
  'poisonedMessages',
  'signalFlood',
] as const;
export type Act = (typeof ACTS)[number];

/** What the payor does; the last one ends the session. */
export const PAYOR_ACTS = [
  'payorStarted',
  'bankValidated',
  'padSigned',
  'completed',
  'loginFailed',
  'identityFailed',
  'insufficientFunds',
  'expired',
] as const;
export type PayorAct = (typeof PAYOR_ACTS)[number];

const sessionSchema = z.strictObject({
  kind: z.enum(['EFT', 'GEFT', 'e-Transfer']),
  onUnknownCreate: z.enum(['park', 'retry']),
  /** Whether the caller waits for the checkout URL as it starts the session. */
  opens: z.boolean(),
  /** Whether the checkout page asks for a refresh each time that the payor has done something. */
  hasPage: z.boolean(),
  payor: z.array(z.strictObject({ at: pointSchema, does: z.enum(PAYOR_ACTS) })),
  faults: z.array(z.strictObject({ at: pointSchema, fault: z.enum(HTTP_FAULTS) })),
  strikes: z.array(z.strictObject({ at: pointSchema, stage: z.enum(STAGES), strike: z.enum(STRIKES) })),
  acts: z.array(
    z.strictObject({ at: z.union([pointSchema, z.literal('start'), z.literal('end')]), act: z.enum(ACTS) }),
  ),
  /** What a person decides when the session is parked. */
  decision: z.enum(['adopt', 'retry', 'abandon']),
});
export type SessionPlan = z.infer<typeof sessionSchema>;

const planSchema = z.strictObject({
  /** What the plan is for, in words. */
  about: z.string().max(500).optional(),
  sessions: z.array(sessionSchema).min(1).max(20),
  /** What goes wrong with the first requests for a token, in this order. */
  authorizes: z.array(z.enum(HTTP_FAULTS)).max(20).default([]),
});

/** An episode: some sessions, and everything that happens to them. */
export type Plan = z.infer<typeof planSchema>;

/** Reads a plan. Throws an `Error` that says what is wrong with it. */
export function readPlan(file: string): Plan {
  const parsed = planSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is no plan: ${z.prettifyError(parsed.error)}`);
}

export const isAt = (point: Point, { call, occurrence }: Point): boolean =>
  point.call === call && point.occurrence === occurrence;
