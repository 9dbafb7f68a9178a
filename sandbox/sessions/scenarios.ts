import { returnReason } from '../../src/contract/return-codes';
import type { SessionKind } from '../../src/contract';
import type { PlainEvent, SessionEvent, SandboxSessionState } from './transitions';
import { DAY_MS } from '../../src/contract/values/day';
import { nearest, shownName } from '../../src/contract/values/text';

/** One step of a scenario: an event and its time. The sandbox's option `paceMs` sets the length of a pace. */
export interface ScenarioStep {
  /** The number of paces from the creation of the session to the event. */
  readonly afterPaces: number;
  /** The event of the step. */
  readonly event: PlainEvent;
}

/** The return of a payment. */
export interface PlannedReturn {
  /** The time from the settlement to the return, in milliseconds. */
  readonly afterMs: number;
  /** The return code, such as `901` (contract rule A76 in docs/contract.md). */
  readonly code: string;
}

/** A payor played by the sandbox, chosen by the session's `referenceId` (contract A63). */
export interface Scenario {
  /** The `referenceId` that selects the scenario, alone or followed by a hyphen and any text. */
  readonly id: string;
  /** The scenario in a sentence. */
  readonly summary: string;
  /** The steps, for each kind of session. */
  readonly steps: Readonly<Record<SessionKind, readonly ScenarioStep[]>>;
  /** The return of a regular EFT. In scenarios, guaranteed EFTs and e-Transfers are never returned. */
  readonly returns?: PlannedReturn;
}

const endsWith = (event: PlainEvent): readonly ScenarioStep[] => [
  { afterPaces: 1, event: 'payorStarted' },
  { afterPaces: 2, event },
];

const forAll = (steps: readonly ScenarioStep[]): Scenario['steps'] => ({
  EFT: steps,
  GEFT: steps,
  'e-Transfer': steps,
});

/** Returns these steps for EFTs. An e-Transfer completes at once: it has no PAD agreement to sign. */
const signedAs = (steps: readonly ScenarioStep[]): Scenario['steps'] => ({
  ...forAll(steps),
  'e-Transfer': endsWith('completed'),
});

/**
 * The sandbox's scenarios. A `referenceId` selects a scenario if it is the scenario's id, or begins with the id and a hyphen
 * (`sandbox-completes-order-42`), so that several sessions can use the same scenario. If several ids match, the longest one wins. If no id matches, a
 * person plays the payor in the hosted flow, or a test plays the payor with `act`.
 */
export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'sandbox-completes',
    summary: 'The payor completes: Completed/EFT0301.',
    steps: forAll(endsWith('completed')),
  },
  {
    id: 'sandbox-returned',
    summary:
      'The payor completes; a regular EFT comes back two days after it has settled, with 901, or with the code that follows: sandbox-returned-912.',
    steps: forAll(endsWith('completed')),
    returns: { afterMs: 2 * DAY_MS, code: '901' },
  },
  {
    id: 'sandbox-disputed',
    summary: 'The payor completes; a regular EFT comes back 60 days after it has settled, with DISPUTED.',
    steps: forAll(endsWith('completed')),
    returns: { afterMs: 60 * DAY_MS, code: 'DISPUTED' },
  },
  {
    id: 'sandbox-awaits-signature',
    summary: 'The bank account is validated and the PAD never signed: Completed/EFT0302 for ever.',
    steps: signedAs(endsWith('bankValidated')),
  },
  {
    id: 'sandbox-signs-later',
    summary: 'The PAD is signed eight paces after the validation: Completed/EFT0302, then EFT0301.',
    steps: signedAs([...endsWith('bankValidated'), { afterPaces: 10, event: 'padSigned' }]),
  },
  {
    id: 'sandbox-login-failed',
    summary: 'The payor fails to log in at the bank: Failed/EFT0401.',
    steps: forAll(endsWith('loginFailed')),
  },
  {
    id: 'sandbox-identity-failed',
    summary: 'The payor does not match the bank account: Failed/EFT0403.',
    steps: forAll(endsWith('identityFailed')),
  },
  {
    id: 'sandbox-insufficient-funds',
    summary: 'The balance is too low: Failed/EFT0404.',
    steps: forAll(endsWith('insufficientFunds')),
  },
  {
    id: 'sandbox-no-guarantee',
    summary: 'No guarantee is available: Failed/EFT0402 for a guaranteed EFT; a regular EFT completes.',
    steps: { ...forAll(endsWith('noGuarantee')), EFT: endsWith('completed') },
  },
  {
    id: 'sandbox-expires',
    summary: 'The payor gives up, and the session expires two paces after its creation: Expired/EFT0601.',
    steps: forAll(endsWith('expired')),
  },
  {
    id: 'sandbox-stays-initiated',
    summary: 'The payor never comes: Initiated/EFT0101 until it is cancelled or idle for too long.',
    steps: forAll([]),
  },
];

const LONGEST_FIRST = SCENARIOS.toSorted((one, other) => other.id.length - one.id.length);

/** Returns the scenario that a reference names, if any. */
export function scenarioOf(referenceId: string | null): Scenario | undefined {
  return LONGEST_FIRST.find(({ id }) => referenceId === id || referenceId?.startsWith(`${id}-`));
}

const PREFIX = 'sandbox-';
const NAMES = SCENARIOS.map(({ id }) => id.slice(PREFIX.length));

/**
 * Returns a warning if a reference begins like the ids of scenarios but selects none of them. Without a scenario, the session waits for a
 * payor. The warning suggests the most similar id.
 */
export function misspeltScenario(referenceId: string | null): string | undefined {
  if (!referenceId?.toLowerCase().startsWith(PREFIX) || scenarioOf(referenceId)) return undefined;
  const words = referenceId.slice(PREFIX.length).split('-');
  const beginnings = words.map((_, index) => words.slice(0, words.length - index).join('-'));
  const [meant] = beginnings.flatMap((beginning) => nearest(beginning, NAMES) ?? []);
  const remedy =
    meant === undefined
      ? '`paysession sandbox --scenarios` lists the scenarios'
      : `did you mean ${PREFIX}${meant}?`;
  return `${shownName(referenceId)} is not a scenario, so the session waits for a payor; ${remedy}`;
}

/**
 * Returns the planned return of a scenario's payment, if the scenario has one. The reference may contain a known return code (contract A76), as in
 * `sandbox-returned-912-order-7`. Otherwise, the return has the scenario's own code.
 */
export function returnsOf(
  scenario: Scenario | undefined,
  referenceId: string | null,
): PlannedReturn | undefined {
  if (scenario?.returns === undefined) return undefined;
  const [named = ''] = referenceId?.slice(scenario.id.length + 1).split('-') ?? [];
  return { ...scenario.returns, code: returnReason(named)?.code ?? scenario.returns.code };
}

/** An event that is planned for a time. If the session refuses the event at that time, nothing happens. */
export interface PlannedEvent {
  /** Time of the event, in milliseconds since 1970. */
  readonly atMs: number;
  /** The event to apply. */
  readonly event: SessionEvent;
}

/** Returns a scenario's events for one session, in order. Without a preset amount, the payor enters one before the events that need it. */
export function planOf(
  scenario: Scenario | undefined,
  state: SandboxSessionState,
  paceMs: number,
): readonly PlannedEvent[] {
  return (scenario?.steps[state.kind] ?? []).flatMap(({ afterPaces, event }) => {
    const atMs = state.createdAtMs + afterPaces * paceMs;
    const entersAmount = state.amount === null && (event === 'completed' || event === 'bankValidated');
    return [
      ...(entersAmount
        ? [{ atMs, event: { type: 'amountEntered', amount: likelyAmount(state) } as const }]
        : []),
      { atMs, event: { type: event } },
    ];
  });
}

const USUAL_AMOUNT = 25;

/** Returns the amount that a played payor enters if none is preset. */
export function likelyAmount({ bounds }: Pick<SandboxSessionState, 'bounds'>): number {
  return Math.min(bounds.maximumAmount, Math.max(bounds.minimumAmount, USUAL_AMOUNT));
}
