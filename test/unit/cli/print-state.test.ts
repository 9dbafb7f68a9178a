import { afterEach, expect, jest, test } from '@jest/globals';
import { printState } from '../../../cli/shared/session-state';
import type { SessionState } from '../../../src/protocol/state/session';

const NAMED = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const PARKED: SessionState = {
  phase: 'parked',
  key: 'order-1',
  kind: 'EFT',
  referenceId: 'ORDER-1',
  paid: false,
  anomalies: [],
  decisions: [],
  parks: [{ at: '2031-05-06T12:00:01.000Z', code: 'SERVICE_WRONG_SESSION', id: 'run-1', sessionId: NAMED }],
};

afterEach(() => {
  jest.restoreAllMocks();
});

function printed(state: SessionState): string {
  let text = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  printState(state);
  return text;
}

test('the state of a parked session shows the id that the answer named, and the command that compares it', () => {
  const text = printed(PARKED);
  expect(text).toMatch(
    new RegExp(`^named +${NAMED}: the answer to the create request names this session$`, 'm'),
  );
  expect(text).toContain(`\`paysession resolve order-1 --session-id ${NAMED} --look\` compares it.`);
});

test('the state of a session that is open shows no id of an answer', () => {
  expect(printed({ ...PARKED, phase: 'open' })).not.toContain(NAMED);
});
