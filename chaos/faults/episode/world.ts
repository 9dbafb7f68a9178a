import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { createSandbox, type Sandbox } from '../../../sandbox';
import { encryptedDataConverter, type EncryptionKeys, type PaymentSessions } from '../../../src';
import { connectTemporal } from '../../../src/settings';
import { plantCanaries } from '../../../test/support/canary/canaries';
import { ownPort } from '../../../test/support/own-port';
import { setCurrentVersion } from '../../../test/support/deployments';
import type { HttpFault } from '../plan/http-faults';
import type { Call, Stage } from '../plan/plan';
import type { Build } from '../processes/build';
import { hostLedger, type LedgerHost } from '../ledger/ledger-host';
import { hostTemporal, type TemporalHost } from '../processes/temporal-host';
import { Fleet, type Key } from '../processes/fleet';
import { versionsOf } from '../processes/versions';
import { Front, type Player } from '../service/front';
import type { HintEndpoints } from './hints';
import { PATIENCE_MS } from './retry-until';
import type { SessionRun } from './session-run';
import { newKey, StrikeDesk } from './strike-desk';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** The longest `Retry-After` that workers respect. `worker-process.ts` has the same value. */
const LONGEST_RETRY_AFTER_MS = 2_500;

/** A player of a session's plan. Workers also ask it before an activity begins and after it has ended, and wait for its answer. */
export interface WorkerPlayer extends Player {
  passInWorker(call: Call, stage: Stage, worker: string): Promise<void>;
}

/**
 * A lane: an account at the payment service with its own URL. Each lane plays one episode at a time. Lanes do not slow each other down,
 * because each account has its own rate limit.
 */
export interface Lane {
  readonly account: string;
  readonly front: Front;
  /** The faults of the next requests for a token. */
  readonly authorizeFaults: HttpFault[];
  /** The time of the last request for a token that had a fault, in milliseconds since 1970. */
  authorizeFailedAtMs: number;
  /** The sessions of current episodes, by key. */
  readonly runs: Map<string, SessionRun>;
  /** The players of keys that may have several sessions, by key. */
  readonly others: Map<string, WorkerPlayer>;
}

/** Everything that runs during a campaign. */
export interface World {
  readonly id: string;
  readonly temporal: TemporalHost;
  readonly sandbox: Sandbox;
  readonly fleet: Fleet;
  /** Absent if the workers have no ledger. */
  readonly ledger?: LedgerHost | undefined;
  readonly lanes: readonly Lane[];
  readonly desk: StrikeDesk;
  readonly hints: HintEndpoints;
  readonly canaries: ReturnType<typeof plantCanaries>;
  readonly tokenMark: string;
  readonly taskQueue: string;
  readonly build: Build;
  /** A client with the current encryption keys. */
  readonly client: Client;
  readonly sessions: PaymentSessions;
  /** Returns the current encryption key and all earlier ones. */
  readonly keys: () => EncryptionKeys;
  /** The folder of the workers' logs. */
  readonly logs: string;
  /** The longest time for which a caller repeats a request, in milliseconds. */
  readonly patienceMs: number;
  /** Returns true when the campaign is about to end. Then no more faults happen, and payors finish their payments. */
  readonly windsUp: () => boolean;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly build: Build;
  readonly lanes: number;
  readonly workers: number;
  /** @default a new Temporal server for this world alone */
  readonly temporal?: TemporalHost;
  /** True if the workers have versions, which `fleet.rollOut` replaces. @default false */
  readonly rollsOut?: boolean;
  /** True if the workers have a ledger, on a new PostgreSQL server. @default false */
  readonly hasLedger?: boolean;
  /** @default PATIENCE_MS */
  readonly patienceMs?: number;
  /** @default never */
  readonly windsUp?: () => boolean;
}

export async function startWorld({
  build,
  lanes: laneCount,
  workers,
  temporal: given,
  rollsOut = false,
  hasLedger = false,
  patienceMs = PATIENCE_MS,
  windsUp = () => false,
}: WorldOptions): Promise<World> {
  const id = randomUUID().slice(0, 8);
  const taskQueue = `faults-${id}`;
  const canaries = plantCanaries();
  const [clientSecret = ''] = canaries['client secret'];
  const tokenMark = `Zq${randomBytes(8).toString('hex')}`;
  const temporal = given ?? (await hostTemporal({ dropsSoon: hasLedger }));
  const ledger = hasLedger ? await hostLedger() : undefined;
  const accounts = Array.from({ length: laneCount }, (_, index) => `lane${index}`);
  const sandbox = createSandbox({
    clients: accounts.map((clientId) => ({ ...DEFAULT_CLIENT, clientId, clientSecret })),
    maxCalls: 1_000_000,
    maxSessions: 100_000,
  });
  const { url: service } = await sandbox.listen();
  const lanes = accounts.map((account): Lane => {
    const runs = new Map<string, SessionRun>();
    const others = new Map<string, WorkerPlayer>();
    const front = new Front({
      service,
      tokenMark,
      longestRetryAfterMs: LONGEST_RETRY_AFTER_MS,
      playerOf: (key) => runs.get(key) ?? others.get(key),
      nextAuthorizeFault: () => {
        const fault = lane.authorizeFaults.shift();
        if (fault !== undefined) lane.authorizeFailedAtMs = Date.now();
        return fault;
      },
    });
    const lane: Lane = { account, front, runs, others, authorizeFaults: [], authorizeFailedAtMs: 0 };
    return lane;
  });
  await Promise.all(lanes.map(({ front }) => front.up()));
  const logs = await mkdtemp(join(tmpdir(), 'paysession-faults-logs-'));
  let keyCount = 1;
  let keys: readonly Key[] = [newKey(keyCount, randomBytes(32))];
  const { connection } = await connectTemporal({
    connection: { address: temporal.address },
    namespace: 'default',
  });
  const bundles = await mkdtemp(join(tmpdir(), 'paysession-faults-bundles-'));
  const hints: HintEndpoints = {
    ports: await Promise.all(Array.from({ length: workers }, () => ownPort())),
    secret: randomUUID(),
  };
  const fleet = new Fleet({
    script: build.workerScript,
    size: workers,
    keys,
    environmentOf: (worker, given, index) => ({
      temporal: temporal.address,
      namespace: 'default',
      taskQueue,
      accounts: Object.fromEntries(
        lanes.map(({ account, front }) => [
          account,
          {
            baseUrl: front.urlFor(worker),
            clientId: account,
            clientSecret: given.isSecretWrong ? 'refused' : clientSecret,
          },
        ]),
      ),
      keys: given.keys,
      logFile: join(logs, `${worker}.log`),
      hints: { port: hints.ports[index] ?? 0, secret: hints.secret },
      ...(ledger !== undefined && { ledger: ledger.url }),
    }),
    versions: rollsOut ? await versionsOf(taskQueue, bundles) : [],
    makeCurrent: (version) => setCurrentVersion({ client: new Client({ connection }) }, version),
    onStage: async ({ session, call, stage, worker }) => {
      const run = lanes
        .map(({ runs, others }) => runs.get(session) ?? others.get(session))
        .find((found) => found !== undefined);
      await run?.passInWorker(call, stage, worker);
    },
  });
  await fleet.start();
  const clientWith = (own: readonly Key[]) => {
    const client = new Client({
      connection,
      dataConverter: encryptedDataConverter(keysOf(own), { required: true }),
    });
    // The timeout is short, so that callers do not wait for a killed Temporal server. They repeat their calls.
    const sessions = new build.source.PaymentSessions(client, { taskQueue, updateTimeoutMs: 30_000 });
    return { client, sessions };
  };
  let calling = clientWith(keys);
  /**
   * Rotates the encryption keys as the encryption guide says. First, all workers get the new key for decryption. Then workers and callers
   * encrypt with it.
   */
  const rotateKeys = async () => {
    keyCount += 1;
    const [newest, before] = [newKey(keyCount, randomBytes(32)), keys];
    await fleet.restartWith([...before, newest]);
    keys = [newest, ...before];
    calling = clientWith(keys);
    await fleet.restartWith(keys);
  };
  const desk = new StrikeDesk({ fleet, temporal, ledger, rotateKeys });
  return {
    id,
    temporal,
    sandbox,
    fleet,
    ledger,
    lanes,
    desk,
    hints,
    canaries,
    tokenMark,
    taskQueue,
    build,
    logs,
    patienceMs,
    windsUp,
    get client() {
      return calling.client;
    },
    get sessions() {
      return calling.sessions;
    },
    keys: () => keysOf(keys),
    close: async () => {
      await fleet.stop();
      await ledger?.stop();
      await connection.close();
      await Promise.all(lanes.map(({ front }) => front.close()));
      await sandbox.close();
      if (given === undefined) await temporal.stop();
      await rm(logs, { recursive: true, force: true });
      await rm(bundles, { recursive: true, force: true });
    },
  };
}

function keysOf([current, ...earlier]: readonly Key[]): EncryptionKeys {
  const decoded = ({ id, secret }: Key) => ({ id, secret: Buffer.from(secret, 'base64') });
  if (current === undefined) throw new Error('there is no key');
  return { current: decoded(current), earlier: earlier.map(decoded) };
}
