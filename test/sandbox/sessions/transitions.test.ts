import { describe, expect, test } from '@jest/globals';
import {
  transition,
  type SessionEvent,
  type SandboxSessionState,
  type Transition,
} from '../../../sandbox/sessions/transitions';

// The numbers in the test names, such as A56, are rules of the contract (docs/contract.md).

const NOW_MS = 1_000;

const INITIATED: SandboxSessionState = {
  kind: 'EFT',
  status: 'Initiated',
  code: 'EFT0101',
  amount: 25,
  amountOpen: false,
  bounds: { minimumAmount: 1, maximumAmount: 100 },
  step: 'Created',
  accountCaptured: false,
  createdAtMs: 0,
  touchedAtMs: 0,
};

const EVENTS: readonly SessionEvent[] = [
  { type: 'payorStarted' },
  { type: 'touched' },
  {
    type: 'accountChosen',
    account: { institutionCode: '991', transitNumber: '00042', accountNumber: '1000004321' },
  },
  { type: 'amountEntered', amount: 30 },
  { type: 'loginFailed' },
  { type: 'identityFailed' },
  { type: 'insufficientFunds' },
  { type: 'noGuarantee' },
  { type: 'bankValidated' },
  { type: 'padSigned' },
  { type: 'completed' },
  { type: 'cancelled', evenUnsigned: false },
  { type: 'expired' },
];

function after(state: SandboxSessionState, event: SessionEvent): SandboxSessionState {
  const result = transition(state, event, NOW_MS);
  if (!result.accepted) throw new Error(`${event.type} was refused: ${result.reason}`);
  return result.state;
}

const inBrief = (result: Transition) =>
  result.accepted ? [result.state.status, result.state.code].join('/') : result.reason;

describe('the state machine', () => {
  test('A56 accepts or refuses each event of an open regular EFT session', () => {
    expect(EVENTS.map((event) => [event.type, inBrief(transition(INITIATED, event, NOW_MS))])).toEqual([
      ['payorStarted', 'Initiated/EFT0101'],
      ['touched', 'Initiated/EFT0101'],
      ['accountChosen', 'Initiated/EFT0101'],
      ['amountEntered', 'amountFixed'],
      ['loginFailed', 'Failed/EFT0401'],
      ['identityFailed', 'Failed/EFT0403'],
      ['insufficientFunds', 'Failed/EFT0404'],
      ['noGuarantee', 'wrongKind'],
      ['bankValidated', 'Completed/EFT0302'],
      ['padSigned', 'bankNotValidated'],
      ['completed', 'Completed/EFT0301'],
      ['cancelled', 'Cancelled/EFT0501'],
      ['expired', 'Expired/EFT0601'],
    ]);
  });

  test.each<SessionEvent>(EVENTS)('A58 refuses $type after the session has ended', (event) => {
    const ends = (['completed', 'loginFailed', 'expired'] as const).map((type) => after(INITIATED, { type }));
    for (const end of [...ends, after(INITIATED, { type: 'cancelled', evenUnsigned: false })]) {
      expect(transition(end, event, NOW_MS)).toEqual({ accepted: false, reason: 'ended' });
    }
  });

  test('A56 accepts only padSigned once a session awaits the payor’s signature', () => {
    const waiting = after(INITIATED, { type: 'bankValidated' });
    const accepted = EVENTS.filter((event) => transition(waiting, event, NOW_MS).accepted);
    expect(accepted).toEqual([{ type: 'padSigned' }]);
    expect(after(waiting, { type: 'padSigned' })).toMatchObject({ code: 'EFT0301', step: 'Ended' });
  });

  test('A55 also accepts a cancel with evenUnsigned once a session awaits the payor’s signature', () => {
    const waiting = after(INITIATED, { type: 'bankValidated' });
    expect(after(waiting, { type: 'cancelled', evenUnsigned: true }).status).toBe('Cancelled');
  });

  test('A46 an e-Transfer has no PAD agreement and no code', () => {
    const { code, ...rest } = INITIATED;
    const eTransfer: SandboxSessionState = { ...rest, kind: 'e-Transfer' };
    expect(inBrief(transition(eTransfer, { type: 'bankValidated' }, NOW_MS))).toBe('wrongKind');
    expect(inBrief(transition(eTransfer, { type: 'padSigned' }, NOW_MS))).toBe('wrongKind');
    expect(after(eTransfer, { type: 'completed' })).not.toHaveProperty('code');
  });

  test('A40 refuses to complete a session without an amount', () => {
    const open: SandboxSessionState = { ...INITIATED, amount: null, amountOpen: true };
    for (const type of ['completed', 'bankValidated'] as const) {
      expect(transition(open, { type }, NOW_MS)).toEqual({ accepted: false, reason: 'amountMissing' });
    }
    const entered = after(open, { type: 'amountEntered', amount: 30 });
    expect(after(entered, { type: 'completed' })).toMatchObject({ amount: 30, endedAtMs: NOW_MS });
  });

  test('does not modify its argument', () => {
    const before = structuredClone(INITIATED);
    for (const event of EVENTS) transition(INITIATED, event, NOW_MS);
    expect(INITIATED).toEqual(before);
  });
});
