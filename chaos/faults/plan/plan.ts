import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HTTP_FAULTS } from './http-faults';

/** The calls of a session to the payment service that may have faults. */
export const CALLS = ['create', 'details', 'cancel'] as const;
export type Call = (typeof CALLS)[number];

/** A moment in a session's life, such as its first create request or its third poll. It is counted in calls and never in time. */
const pointSchema = z.strictObject({ call: z.enum(CALLS), occurrence: z.int().min(1).max(1_000) });
export type Point = z.infer<typeof pointSchema>;

/** The stages of a call. At each stage, a process may be struck (killed, frozen or disturbed in another way). */
export const STAGES = ['beforeSend', 'afterSend', 'afterResponse', 'beforeReturn'] as const;
export type Stage = (typeof STAGES)[number];

/** Strikes, which are acts against a process. */
export const STRIKES = [
  'killWorker',
  'terminateWorker',
  'freezeWorker',
  'killTemporal',
  'rotateKeys',
  'withholdKey',
  'rollOut',
  /** A worker starts with a secret that the payment service refuses. Later, a worker with the right secret replaces it. */
  'wrongSecret',
  /** A worker's clock is moved forward or back. It is corrected later. */
  'clockForward',
  'clockBack',
  /** The ledger's PostgreSQL is killed. It is started again later. */
  'killLedger',
  /** The connection of the next commit to the ledger is cut. */
  'cutCommit',
] as const;
export type Strike = (typeof STRIKES)[number];

/** The acts of callers. Some acts consist of many calls at once. */
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
  /**
   * Hints, the payment service's messages that a session may have changed: true, false and repeated hints, hints about unknown sessions,
   * and garbage.
   */
  'hints',
  /** An operator resets the workflow run to its first workflow task (before its create request), or to its last one. */
  'resetToStart',
  'resetToNow',
] as const;
export type Act = (typeof ACTS)[number];

/** The acts of the payor. They include the expiry of the session. */
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

/** An operator's decision about a parked session. */
export const DECISIONS = [
  /** Adopts the session that the key's own create request has made. */
  'adopt',
  'retry',
  'abandon',
  /** Adopts, by mistake, the session of another key. That key was never parked (`adoptOpen`) or is parked, too (`adoptParked`). */
  'adoptOpen',
  'adoptParked',
] as const;

/** Deadlines that are short enough to pass during an episode. */
export const DEADLINES = ['overall', 'signature', 'unclear'] as const;
export type PlannedDeadline = (typeof DEADLINES)[number];

/** The steps of a bookkeeper with the payment service's reconciliation files. */
export const BOOK_STEPS = [
  /**
   * Reads the file of all days so far, with session ids (`read`). `readReferences` reads only the reference of a session, if no other
   * session has the same reference.
   */
  'read',
  'readReferences',
  /** Reads the file twice, one run after the other, or with two runs at the same time. */
  'readTwice',
  'readAtOnce',
  /** Reads the file. Kills the run, or the ledger, in the middle of a commit. */
  'killRun',
  'killLedger',
  /** Reads the file with a stranger: an additional line whose money belongs to no session. */
  'stranger',
  /** An operator explains a line that no payment matches. */
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
  /** True if there is a checkout page, which requests a refresh after each act of the payor. */
  hasPage: z.boolean(),
  /** The deadline that is so short that it passes during the episode. @default none */
  deadline: z.enum(DEADLINES).optional(),
  /** True if the session has the same reference as other sessions of the episode, so that their payments look alike. */
  sharesReference: z.boolean().default(false),
  payor: z.array(z.strictObject({ at: z.union([pointSchema, z.literal('away')]), does: z.enum(PAYOR_ACTS) })),
  faults: faultsSchema,
  strikes: strikesSchema,
  acts: z.array(
    z.strictObject({ at: z.union([pointSchema, z.literal('start'), z.literal('end')]), act: z.enum(ACTS) }),
  ),
  decision: z.enum(DECISIONS),
  /**
   * The settlement and the return of the payment. A late settlement is not in the files that are read during the episode.
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
  /** The faults of the first requests for a token, in the order of the requests. */
  authorizes: z.array(z.enum(HTTP_FAULTS)).max(20).default([]),
  /**
   * The planned outage. It begins when all sessions are under way: the part `who` is down for `seconds`. From then on, there are no more
   * HTTP faults.
   */
  away: z
    .strictObject({ who: z.enum(['workers', 'temporal', 'ledger']), seconds: z.int().min(1).max(3_600) })
    .optional(),
  /**
   * The bookkeeper's steps, in order. Each step waits until `after` payments have been made, or until all sessions have ended.
   * @default none
   */
  books: z
    .array(z.strictObject({ after: z.int().min(0).max(20), does: z.enum(BOOK_STEPS) }))
    .max(20)
    .optional(),
});

/** The plan of an episode: some sessions, and everything that happens to them. */
export type Plan = z.infer<typeof planSchema>;

/** The steps of a plan of keys. A step concerns one key or the servers that all keys share. */
export const KEY_STEPS = [
  /** Starts the key. `start` always uses the same request, and `startOther` uses another one. */
  'start',
  'startOther',
  /** Starts the key, and cancels it at once. The cancellation may come before the create request. */
  'startAndCancel',
  'cancel',
  /** The payors of all sessions of the key pay, or fail to log in. */
  'pay',
  'fail',
  /** An operator terminates the key's workflow. */
  'terminate',
  /** Temporal drops the key's closed workflows, as at the end of their retention. */
  'drop',
  /**
   * If the key is parked, an operator decides: adopts the key's own session or a session of another key, sends another create request, or
   * gives up.
   */
  'adopt',
  'adoptOther',
  'retry',
  'abandon',
  /** A sweep begins, which records ended workflows in the ledger. The next steps happen while it runs. */
  'sweep',
  /** The service's reconciliation file is read, and the next steps happen meanwhile. */
  'file',
  /**
   * Copies the data of PostgreSQL or of the Temporal server, or starts the server with its last copy. Everything that was stored after the
   * copy is then lost.
   */
  'copyLedger',
  'restoreLedger',
  'copyTemporal',
  'restoreTemporal',
] as const;
export type KeyStep = (typeof KEY_STEPS)[number];

/**
 * The moment of a step, after the previous step: at once (`now`), after a short time (`soon`), when the key's create request has been sent
 * (`sent`), when its session is polled (`open`), or when its workflow has ended (`over`).
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

/** The plan of an episode of keys. Each key is started again and again, while its workflows and their records are disturbed. */
export type KeysPlan = z.infer<typeof keysPlanSchema>;

/** Reads a plan of sessions. Throws an `Error` with the reason if the file is not such a plan. */
export const readPlan = (file: string): Plan => read(planSchema, file);

/**
 * Reads a plan of keys. Returns `undefined` if the file has a plan of sessions. Throws an `Error` with the reason if the plan is invalid.
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

/** True if the first point is the same as the second point, or a later point of the same kind of call. */
export const isSince = (point: Point, { call, occurrence }: Point): boolean =>
  point.call === call && point.occurrence >= occurrence;

export type Away = NonNullable<Plan['away']>;
