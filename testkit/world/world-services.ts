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
  /** Options of the account's sandbox. The sandbox's clock is the world's clock. */
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
}

/** The accounts of a world, by name. */
export type WorldAccounts = Readonly<Record<string, WorldAccount>>;

/** The payment services of a world, one for each account. */
export interface WorldServices {
  /** The credentials of all accounts, for the worker. */
  readonly accounts: Accounts;
  /** Returns the sandbox of an account. Throws `RangeError` if the world does not have the account. */
  sandboxOf(account: string): Sandbox;
  /** Returns the sandbox that has this session, if there is one. */
  holding(sessionId: string): Sandbox | undefined;
  close(): Promise<void>;
}

/** The maximum number of calls that a sandbox keeps in its audit. A session makes fewer calls in years. */
const MAX_CALLS = 100_000;

/** Starts a sandbox for each account. All sandboxes use the same clock. */
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

/** The payment service of an account. A test can read its calls and make it fail. */
export interface WorldService {
  /** Returns the calls that the service has received and that match the filter, oldest first. Their times are virtual times. */
  audit(filter?: Partial<Pick<SandboxCall, 'route' | 'sessionId' | 'status'>>): readonly SandboxCall[];
  /**
   * Makes the next calls of a route fail. Virtual time does not skip during a call. So a call that hangs takes five real seconds, the client's
   * timeout.
   *
   * @param times the number of calls that fail, at most 1000. `clearFaults` removes the failures that have not happened yet. @default 1
   * @throws `RangeError` if `times` is not a whole number from 1 to 1000
   *
   * @example
   * ```ts
   * world.service.fail('create', { kind: 'reset', phase: 'after' }); // the answer is lost
   * ```
   */
  fail(route: FaultyRoute, fault: Fault, times?: number): void;
  /** Removes all failures that have not happened yet. */
  clearFaults(): void;
  /** Returns the mails that the service would have sent to payors, oldest first. */
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
