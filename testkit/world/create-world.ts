import { setTimeout as sleep } from 'node:timers/promises';
import { PaysessionError, SettingsError } from '../../src/errors';
import { DEFAULT_ACCOUNT } from '../../src/protocol/names';
import { callsPerSecondSchema } from '../../src/service/options';
import type {
  buildWorld as BuildWorld,
  PaymentWorld,
  PaymentWorldOptions,
  PaymentWorldWithLedger,
  WorldServer,
  WorldToBuild,
} from './payment-world';
import type { startWorldLedger as StartWorldLedger, WorldLedger } from '../ledger-server';
import { reportWaits, type OnProgress } from '../../src/temporal-server/progress';
import { resolveTestServer } from '../../src/temporal-server/resolve-test-server';
import { startTestServer } from '../../src/temporal-server/start-server';
import { borrowServer } from '../lent-servers';

type Accounts = WorldToBuild['accounts'];

/**
 * Creates a world: Temporal's test server, the payment service's sandbox, a worker and a client, all in virtual time. This takes about a
 * second. The first time, it also downloads the test server. No other world uses the same server at the same time, so many worlds can run
 * side by side. The server stops when its world is closed or this process ends. If the settings of `paysession/testing/jest` or `vitest` are
 * used, the test runner keeps the server for the next world.
 *
 * @throws {@link PaysessionError} `TEMPORAL_NOT_FOUND` if there is no test server, and none can be fetched
 * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the test server does not start
 * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if the ledger's server does not start
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if an account's `callsPerSecond`, a sandbox's option, an encryption key or
 * `PAYSESSION_TEST_SERVER_SHA256` is malformed
 * @throws `Error` with the code `MODULE_NOT_FOUND` if packages are missing. The error names the packages to install
 * @throws `TypeError` if two options contradict each other, or if the test runner's fake timers are on
 * @throws the bundler's error if your workflows cannot be bundled
 *
 * @example
 * ```ts
 * await using world = await createPaymentWorld();
 * const { session, sessionId } = await world.sessions.open({ key: 'order-1042', request });
 * await world.payor(sessionId).signsPadAfter('3d');
 * const { paid } = await session.result(); // true, in seconds
 * ```
 */
export function createPaymentWorld(
  options: PaymentWorldOptions & { readonly ledger: true },
): Promise<PaymentWorldWithLedger>;
export function createPaymentWorld(options?: PaymentWorldOptions): Promise<PaymentWorld>;
export async function createPaymentWorld(options: PaymentWorldOptions = {}): Promise<PaymentWorld> {
  refuseFakeTimers();
  const accounts = accountsOf(options);
  checkAccounts(accounts);
  checkWorkflows(options);
  const { onProgress = reportWaits } = options;
  const starting = startWorldServer(onProgress);
  const ledger = options.ledger === true ? startLedger() : undefined;
  // `buildWorld` awaits the ledger later. If the ledger fails before, this handler keeps Node from reporting an unhandled rejection.
  ledger?.catch(() => undefined);
  const stops: Stop[] = [async () => (await ledger?.catch(() => undefined))?.stop()];
  let closing: Promise<void> | undefined;
  const close = () => {
    // Only the first call of `close` closes the world and may reject. Later calls wait for it.
    const earlier = closing?.catch(() => undefined);
    closing ??= closeAll(stops, starting.server);
    return earlier ?? closing;
  };
  try {
    await starting.begun;
    // This module loads Temporal's worker, its client and the sandbox. That takes as long as the server takes to start, so it is loaded
    // while the server starts.
    const { buildWorld } = require('./payment-world') as { readonly buildWorld: typeof BuildWorld };
    const world = await buildWorld(
      { ...options, accounts, onProgress, server: starting.server, ledger },
      stops,
    );
    return { ...world, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** The server of a world, while the server starts. */
interface StartingServer {
  /** Resolves when the server's process has started, so that all that is left is to wait for it. Rejects if `server` rejects before. */
  readonly begun: Promise<unknown>;
  /** Rejects with `PaysessionError` `TEMPORAL_NOT_FOUND`, `TEMPORAL_UNAVAILABLE` or `INVALID_SETTINGS`. */
  readonly server: Promise<WorldServer>;
}

function startWorldServer(onProgress: OnProgress): StartingServer {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = serverOf(onProgress, begin);
  return { server, begun: Promise.race([begun, server]) };
}

/** @param onBegun called when the server's process has started, so that all that is left is to wait for it */
async function serverOf(onProgress: OnProgress, onBegun: () => void): Promise<WorldServer> {
  const borrowing = borrowServer();
  if (borrowing !== undefined) {
    onBegun();
    const lent = await borrowing;
    if (lent !== undefined) {
      let isClean = false;
      return {
        ...lent,
        tidy: async (leave) => {
          isClean = await leave();
        },
        stop: () => lent.giveBack(isClean),
      };
    }
  }
  const { executable } = await resolveTestServer({ onProgress });
  const running = await startTestServer({ executable, onSpawned: onBegun });
  return {
    address: running.address,
    namespace: 'default',
    isUsed: false,
    ended: running.exited,
    tidy: () => Promise.resolve(),
    stop: running.stop,
  };
}

type Stop = () => Promise<unknown>;

/** The end of a server that never started. */
const NEVER = new Promise<never>(() => undefined);

/** The time that each part of a world may take to close if the server has already ended. Calls to an ended server get no answer. */
const WITHOUT_SERVER_MS = 3_000;

/**
 * Closes the parts of a world in reverse order, and the server last. If a part fails to close, closes the others all the same, and then
 * throws the first failure. If the server had ended before, throws `PaysessionError` `TEMPORAL_UNAVAILABLE` instead.
 */
async function closeAll(stops: Stop[], starting: Promise<WorldServer>): Promise<void> {
  const server = await starting.catch(() => undefined);
  const failures: unknown[] = [];
  const progress = { hasEnded: false };
  const ended = server?.ended.then(() => (progress.hasEnded = true)) ?? NEVER;
  for (const stop of stops.splice(0).reverse()) {
    const closed = stop().catch((error: unknown) => failures.push(error));
    await Promise.race([closed, ended.then(() => sleep(WITHOUT_SERVER_MS, undefined, { ref: false }))]);
  }
  const { hasEnded } = progress;
  await server?.stop();
  if (hasEnded) throw new PaysessionError('TEMPORAL_UNAVAILABLE', GONE, { cause: failures[0] });
  if (failures.length > 0) throw failures[0];
}

const GONE =
  'The test server of the world had ended before the world was closed: what still waited for it has failed. Run the test again; if that happens each time, look for what ends the server’s process, such as a lack of memory.';

/** Throws `TypeError` if a test runner has replaced the timers by fakes, because a world would wait for them for ever. A fake `Date` is allowed. */
function refuseFakeTimers(): void {
  const timers = [setTimeout, setImmediate, queueMicrotask];
  if (timers.some((timer) => 'clock' in timer)) {
    throw new TypeError('Fake timers are on, and a world needs real ones. Call useRealTimers() first.');
  }
}

function accountsOf({ sandbox, accounts = {} }: PaymentWorldOptions): Accounts {
  const usual = accounts[DEFAULT_ACCOUNT];
  if (sandbox !== undefined && usual?.sandbox !== undefined) {
    throw new TypeError('The sandbox of the account "default" is given twice: as sandbox and in accounts.');
  }
  return { ...accounts, [DEFAULT_ACCOUNT]: { ...usual, ...(sandbox && { sandbox }) } };
}

/** Throws `SettingsError` if an account's `callsPerSecond` is malformed. */
function checkAccounts(accounts: Accounts): void {
  const failures = Object.entries(accounts).flatMap(([name, { callsPerSecond }]) => {
    const issues = callsPerSecondSchema.optional().safeParse(callsPerSecond).error?.issues ?? [];
    return issues.map(({ message }) => ({ path: `accounts.${name}.callsPerSecond`, message }));
  });
  if (failures.length > 0) throw new SettingsError(failures);
}

/** Throws `TypeError` if `workflowsPath` and `workflowBundle` are both given, or if there are activities and no workflows. */
function checkWorkflows({
  workflowsPath,
  workflowBundle: given,
  activities = {},
}: PaymentWorldOptions): void {
  if (workflowsPath !== undefined && given !== undefined) {
    throw new TypeError('Your workflows are given twice: give either workflowsPath or workflowBundle.');
  }
  if (workflowsPath === undefined && given === undefined && Object.keys(activities).length > 0) {
    throw new TypeError(
      'Activities are given without workflows that call them: give workflowsPath or workflowBundle.',
    );
  }
}

/** Starts a ledger. Loads the ledger's module only here, because most worlds have no ledger. */
function startLedger(): Promise<WorldLedger> {
  const { startWorldLedger } = require('../ledger-server') as {
    readonly startWorldLedger: typeof StartWorldLedger;
  };
  return startWorldLedger();
}
