import type { Fault, FaultyRoute, Sandbox, SandboxCall, SandboxMail } from '../../sandbox';

/** A payment service of a world, as a test looks at it. */
export interface WorldService {
  /** The service's own log: every call it received, oldest first, at its virtual time; or those that match. */
  audit(filter?: Partial<Pick<SandboxCall, 'route' | 'sessionId' | 'status'>>): readonly SandboxCall[];
  /**
   * Makes the next calls of a route fail: `fail('create', { kind: 'reset', phase: 'after' })`. Time does not skip
   * during a call, so a call that hangs lasts until the client's own timeout, five seconds. Throws `RangeError`.
   * @param times a whole number, 1000 at most; `clearFaults` takes back what is left @default 1
   */
  fail(route: FaultyRoute, fault: Fault, times?: number): void;
  /** Takes back every failure that has not come yet. */
  clearFaults(): void;
  /** The mails that payors would have got, oldest first. */
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
