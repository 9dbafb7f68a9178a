import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type Fault,
  type SandboxMail,
} from '../../sandbox';
import type { Accounts } from '../../src/settings';
import type { VirtualTime } from './virtual-time';
import type { FaultyRoute } from '../../sandbox/calls/faults';
import type { SandboxCall } from '../../sandbox/calls/calls';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';

/** An account of a world, with its own payment service. */
export interface WorldAccount {
  /** The maximum number of create requests and polls per second. @default no limit */
  readonly callsPerSecond?: number;
  /** Options of its sandbox; its clock is the world's. */
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
}

/** Accounts of a world, by their names. */
export type WorldAccounts = Readonly<Record<string, WorldAccount>>;

/** The payment services of a world, one for each account. */
export interface WorldServices {
  /** The accounts of the worker. */
  readonly accounts: Accounts;
  /** Returns the sandbox of an account. Throws `RangeError` if the world does not have the account. */
  sandboxOf(account: string): Sandbox;
  /** Returns the sandbox that has this session, if there is one. */
  holding(sessionId: string): Sandbox | undefined;
  close(): Promise<void>;
}

/** The maximum number of calls kept in the audit: more than a session makes in years. */
const MAX_CALLS = 100_000;

/** Starts a sandbox for each account, all on one clock. */
export async function startServices(accounts: WorldAccounts, clock: VirtualTime): Promise<WorldServices> {
  const sandboxes = new Map(
    Object.entries(accounts).map(([name, { sandbox }]) => [
      name,
      createSandbox({ maxCalls: MAX_CALLS, ...sandbox, clock }),
    ]),
  );
  const close = async () => {
    await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.close()));
  };
  const starts = await Promise.allSettled([...sandboxes.values()].map((sandbox) => sandbox.listen()));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  const sandboxOf = (account: string): Sandbox => {
    const sandbox = sandboxes.get(account);
    if (sandbox === undefined) throw new RangeError(`The world has no account "${account}".`);
    return sandbox;
  };
  return {
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([name, account]) => [name, credentialsOf(account, sandboxOf(name))]),
    ),
    sandboxOf,
    holding: (sessionId) =>
      [...sandboxes.values()].find((sandbox) => sandbox.session(sessionId) !== undefined),
    close,
  };
}

function credentialsOf(
  { callsPerSecond, sandbox }: WorldAccount,
  { url: baseUrl }: Sandbox,
): Accounts[string] {
  const { clientId, clientSecret } = sandbox?.clients?.[0] ?? DEFAULT_CLIENT;
  return { baseUrl, clientId, clientSecret, callsPerSecond };
}

/** A payment service of a world, as a test sees it. */
export interface WorldService {
  /** Returns the service's own log: every call that it received, oldest first, at its virtual time; or those that match. */
  audit(filter?: Partial<Pick<SandboxCall, 'route' | 'sessionId' | 'status'>>): readonly SandboxCall[];
  /**
   * Makes the next calls of a route fail. Time does not skip during a call, so a call that hangs lasts until the client's own timeout, five
   * seconds.
   *
   * @param times a whole number, 1000 at most; `clearFaults` removes the failures that have not happened @default 1
   * @throws `RangeError` if `times` is not such a number
   *
   * @example
   * ```ts
   * world.service.fail('create', { kind: 'reset', phase: 'after' }); // the answer is lost
   * ```
   */
  fail(route: FaultyRoute, fault: Fault, times?: number): void;
  /** Removes every failure that has not happened yet. */
  clearFaults(): void;
  /** Returns the mails that payors would have received, oldest first. */
  mails(): readonly SandboxMail[];
}

export function serviceOf(sandbox: Sandbox): WorldService {
  return {
    audit: (filter = {}) => sandbox.calls.filter((call) => matches(call, filter)),
    fail: (route, fault, times) => {
      sandbox.failNext(route, fault, times);
    },
    clearFaults: () => {
      sandbox.clearFaults();
    },
    mails: () => sandbox.outbox,
  };
}

function matches(call: SandboxCall, filter: Partial<SandboxCall>): boolean {
  return (Object.keys(filter) as (keyof SandboxCall)[]).every((name) => call[name] === filter[name]);
}
