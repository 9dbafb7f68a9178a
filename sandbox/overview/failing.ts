import { html, type Html } from '../../src/web/html';
import { button, hidden } from '../../src/web/shell/forms';
import { dataTable } from '../../src/web/shell/parts';
import type { ArmedFault, Fault, Faults, FaultyRoute } from '../calls/faults';

interface Failure {
  readonly text: string;
  readonly route: FaultyRoute;
  readonly times?: number;
  readonly fault: Fault;
}

const SERVICE_DOWN = { kind: 'status', status: 503 } as const;

/** Failures that a developer can choose on the page; the control port offers more. */
const FAILURES = {
  createFails: { text: 'Fail the next create (503)', route: 'create', fault: SERVICE_DOWN },
  createIsLost: {
    text: 'Lose the answer to the next create',
    route: 'create',
    fault: { kind: 'reset', phase: 'after' },
  },
  createHangs: {
    text: 'Never answer the next create',
    route: 'create',
    fault: { kind: 'hang', phase: 'after' },
  },
  pollsFail: { text: 'Fail the next five polls (503)', route: 'details', times: 5, fault: SERVICE_DOWN },
  pollIsLimited: {
    text: 'Rate-limit the next poll (429)',
    route: 'details',
    fault: { kind: 'status', status: 429, retryAfter: '5' },
  },
  cancelFails: { text: 'Fail the next cancel (503)', route: 'cancel', fault: SERVICE_DOWN },
  tokenIsRefused: {
    text: 'Refuse the next token request (401)',
    route: 'authorize',
    fault: { kind: 'status', status: 401 },
  },
} as const satisfies Readonly<Record<string, Failure>>;

/** The value of the form's field `failure` that removes all failures that have not happened yet. */
const NONE = 'none';
/** A person presses the page's buttons, so more failures than this are a mistake. */
const MOST = 100;

/** Adds the failure that the form names, or removes all. Returns `false` if there is no such failure, or too many are set already. */
export function failAsAsked(faults: Faults, failure: string | null): boolean {
  if (failure === NONE) {
    faults.clear();
    return true;
  }
  if (failure === null || !Object.hasOwn(FAILURES, failure) || faults.armed().length > MOST) return false;
  const { route, fault, times = 1 }: Failure = FAILURES[failure as keyof typeof FAILURES];
  faults.failNext(route, fault, times);
  return true;
}

/** Returns the buttons that make calls fail, and the list of failures to come. */
export function failing(armed: readonly ArmedFault[], formToken: string): Html {
  const buttons = Object.entries(FAILURES).map(([name, { text }]) =>
    button(text, 'second', { name: 'failure', value: name }),
  );
  return html`<h2 id="failures">Failures</h2>
    <p>They hit the next calls of any client. Tests can set them over the control port.</p>
    ${armed.length > 0 && dataTable('Failures to come', ['Call', 'Failure', 'When'], armed.slice(0, MOST).map(row))}
    <form method="post" action="./faults">
      ${hidden('token', formToken)}
      <div class="row">
        ${buttons}
        ${armed.length > 0 && button('Remove all of them', 'plain', { name: 'failure', value: NONE })}
      </div>
    </form>`;
}

const row = ({ route, phase, fault }: ArmedFault): readonly string[] => [
  route,
  fault.kind === 'status' ? String(fault.status) : fault.kind === 'reset' ? 'connection reset' : 'no answer',
  phase === 'before' ? 'before it is processed' : 'after it is processed',
];
