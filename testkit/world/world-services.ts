import { createSandbox, DEFAULT_CLIENT, type Sandbox, type SandboxOptions } from '../../sandbox';
import type { Accounts } from '../../src/settings';
import type { VirtualTime } from './virtual-time';

/** An account of a world, with a payment service of its own. */
export interface WorldAccount {
  /** The most create requests and polls a second. @default no limit */
  readonly callsPerSecond?: number;
  /** Options of its sandbox; its clock is the world's. */
  readonly sandbox?: Omit<SandboxOptions, 'clock'>;
}

/** Accounts of a world, by their names. */
export type WorldAccounts = Readonly<Record<string, WorldAccount>>;

/** The payment services of a world, one for each account. */
export interface WorldServices {
  /** What the worker is given. */
  readonly accounts: Accounts;
  /** The sandbox of an account. Throws `RangeError` for one that the world does not have. */
  sandboxOf(account: string): Sandbox;
  /** The sandbox that has this session, if any has. */
  holding(sessionId: string): Sandbox | undefined;
  close(): Promise<void>;
}

/** Calls kept in the audit: more than a session of years makes. */
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
