import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HTTP_FAULTS } from './http-faults';

/** The calls of a session to the payment service that may have faults. */
export const CALLS = ['create', 'details', 'cancel'] as const;
export type Call = (typeof CALLS)[number];

/** A moment in a session's life, counted in its calls and never in time: its first create, its third poll. */
const pointSchema = z.strictObject({ call: z.enum(CALLS), occurrence: z.int().min(1).max(1_000) });
export type Point = z.infer<typeof pointSchema>;

/** The stages of a call at which a process may be struck. */
export const STAGES = ['beforeSend', 'afterSend', 'afterResponse', 'beforeReturn'] as const;
export type Stage = (typeof STAGES)[number];

/** Strikes at a process. */
export const STRIKES = [
  'killWorker',
  'terminateWorker',
  'freezeWorker',
  'killTemporal',
  'rotateKeys',
  'withholdKey',
  'rollOut',
  /** A worker starts with a secret that the payment service refuses. It is fixed later. */
  'wrongSecret',
  /** A worker's clock is moved forward or back, and is corrected later. */
  'clockForward',
  'clockBack',
  /** The ledger's PostgreSQL is killed, and is back after a while. */
  'killLedger',
  /** The connection of the next commit to the ledger is cut. */
  'cutCommit',
] as const;
export type Strike = (typeof STRIKES)[number];

/** The acts of callers. Some consist of many calls at once. */
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
  /** Hints as the payment service sends them: true, false and repeated ones, some about unknown sessions, and garbage. */
  'hints',
  /** An operator resets the run to its first workflow task, before its create, or to its last. */
  'resetToStart',
  'resetToNow',
] as const;
export type Act = (typeof ACTS)[number];

/** The acts of the payor, and the expiry of the session. */
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

/** A person's decision about a parked session. */
export const DECISIONS = [
  /** Adopts the session of the key's own create. */
  'adopt',
  'retry',
  'abandon',
  /** Adopts a session of another key that was never parked, or of another parked key. */
  'adoptOpen',
  'adoptParked',
] as const;

/** Deadlines that are short enough to pass during an episode. */
export const DEADLINES = ['overall', 'signature', 'unclear'] as const;
export type PlannedDeadline = (typeof DEADLINES)[number];

/** The steps of a bookkeeper with the payment service's reconciliation files. */
export const BOOK_STEPS = [
  /** Reads the file of all days so far, with session ids, or with references if only one session has the reference. */
  'read',
  'readReferences',
  /** Reads the same file again, or by two runs at the same time. */
  'readTwice',
  'readAtOnce',
  /** Reads the file, and kills the run or the ledger in the middle of a commit. */
  'killRun',
  'killLedger',
  /** Reads the file with an additional line, for money without a session. */
  'stranger',
  /** A person explains a waiting line. */
  'explain',
] as const;
export type BookStep = (typeof BOOK_STEPS)[number];

/** Codes of returned payments. The last one is not in the contract. */
export const RETURN_CODES = ['901', '903', '905', 'X77'] as const;

const faultsSchema = z.array(z.strictObject({ at: pointSchema, fault: z.enum(HTTP_FAULTS) }));
const strikesSchema = z.array(
  z.strictObject({ at: pointSchema, stage: z.enum(STAGES), strike: z.enum(STRIKES) }),
);

const sessionSchema = z.strictObject({
  kind: z.enum(['EFT', 'GEFT', 'e-Transfer']),
  onUnknownCreate: z.enum(['park', 'retry']),
  /** True if the caller uses `open`, which waits for the checkout URL, to start the session. */
  opens: z.boolean(),
  /** True if the checkout page requests a refresh after each act of the payor. */
  hasPage: z.boolean(),
  /** The deadline that is short. @default none */
  deadline: z.enum(DEADLINES).optional(),
  /** True if the payment looks like others of the episode, because they have the same reference. */
  sharesReference: z.boolean().default(false),
  payor: z.array(z.strictObject({ at: z.union([pointSchema, z.literal('away')]), does: z.enum(PAYOR_ACTS) })),
  faults: faultsSchema,
  strikes: strikesSchema,
  acts: z.array(
    z.strictObject({ at: z.union([pointSchema, z.literal('start'), z.literal('end')]), act: z.enum(ACTS) }),
  ),
  decision: z.enum(DECISIONS),
  /**
   * The money of the payment. The files that are read during the episode do not have a late settlement.
   * @default the money settles, and does not come back
   */
  money: z
    .strictObject({ settles: z.enum(['atOnce', 'late']), returns: z.enum(RETURN_CODES).optional() })
    .optional(),
});
export type SessionPlan = z.infer<typeof sessionSchema>;

const planSchema = z.strictObject({
  /** The plan's purpose, in words. */
  about: z.string().max(500).optional(),
  sessions: z.array(sessionSchema).min(1).max(20),
  /** The faults of the first requests for a token, in this order. */
  authorizes: z.array(z.enum(HTTP_FAULTS)).max(20).default([]),
  /** Once all sessions are under way, this part of the system is down for this time. No more HTTP faults happen from then on. */
  away: z
    .strictObject({ who: z.enum(['workers', 'temporal', 'ledger']), seconds: z.int().min(1).max(3_600) })
    .optional(),
  /**
   * The bookkeeper's steps, in order. Each step waits until `after` payments are made, or until all sessions have ended.
   * @default none
   */
  books: z
    .array(z.strictObject({ after: z.int().min(0).max(20), does: z.enum(BOOK_STEPS) }))
    .max(20)
    .optional(),
});

/** An episode: some sessions, and all events that happen to them. */
export type Plan = z.infer<typeof planSchema>;

/** The steps of a plan of keys. They concern one key, or the parts that all keys share. */
export const KEY_STEPS = [
  /** Starts the key: with the same request each time, or with another. */
  'start',
  'startOther',
  /** As `start`, with a cancel right after it. The cancel may come before the create. */
  'startAndCancel',
  'cancel',
  /** The payors of all sessions of the key pay, or fail. */
  'pay',
  'fail',
  /** An operator terminates the key's workflow. */
  'terminate',
  /** Temporal drops the key's closed workflows, as at the end of their retention. */
  'drop',
  /** A person decides about the parked key: adopts its own session or one of another key, creates again, or gives up. */
  'adopt',
  'adoptOther',
  'retry',
  'abandon',
  /** A sweep begins, and the next steps happen while it runs. */
  'sweep',
  /** The service's reconciliation file is read, and the next steps happen meanwhile. */
  'file',
  /**
   * The data of PostgreSQL or of the Temporal server is copied, and the copy is restored later: everything in between
   * is lost.
   */
  'copyLedger',
  'restoreLedger',
  'copyTemporal',
  'restoreTemporal',
] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

/**
 * The moment of a step after the previous one: at once, soon, once a create of the key has been sent, once the key's
 * session is polled, or once its workflow has ended.
 */
export const MOMENTS = ['now', 'soon', 'sent', 'open', 'over'] as const;
export type Moment = (typeof MOMENTS)[number];

const keySchema = z.strictObject({
  onUnknownCreate: z.enum(['park', 'retry']),
  faults: faultsSchema,
  strikes: strikesSchema,
});
export type KeyPlan = z.infer<typeof keySchema>;

const keysPlanSchema = z.strictObject({
  about: z.string().max(500).optional(),
  keys: z.array(keySchema).min(1).max(20),
  steps: z
    .array(z.strictObject({ key: z.int().min(0).max(19), when: z.enum(MOMENTS), does: z.enum(KEY_STEPS) }))
    .max(300),
});

/** An episode of some keys. Each key is started again and again, whatever happens to its workflows and their records. */
export type KeysPlan = z.infer<typeof keysPlanSchema>;

/** Reads a plan. Throws an `Error` that explains what is wrong with it. */
export const readPlan = (file: string): Plan => read(planSchema, file);

/**
 * Reads a plan of keys. Returns `undefined` if the file has a plan of sessions. Throws an `Error` that explains what is
 * wrong with the plan.
 */
export function readKeysPlan(file: string): KeysPlan | undefined {
  const isOfKeys = 'keys' in (JSON.parse(readFileSync(file, 'utf8')) as object);
  return isOfKeys ? read(keysPlanSchema, file) : undefined;
}

function read<T>(schema: z.ZodType<T>, file: string): T {
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is no plan: ${z.prettifyError(parsed.error)}`);
}

export const isAt = (point: Point, { call, occurrence }: Point): boolean =>
  point.call === call && point.occurrence === occurrence;

/** True if the first point is the second one, or a later one of the same kind of call. */
export const isSince = (point: Point, { call, occurrence }: Point): boolean =>
  point.call === call && point.occurrence >= occurrence;

export type Away = NonNullable<Plan['away']>;
