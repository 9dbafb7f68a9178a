import { expect, test } from '@jest/globals';
import { perform, type ActOrder } from '../../../../console/session/acts/perform';
import type { Decision } from '../../../../src/protocol/state/recorded';

const [NAMED, OTHER] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];

/** Returns the result of an adoption in a record that is full of refused ones. */
async function adopt(sessionId: string, adopted?: string) {
  const at = '2031-05-06T12:00:00.000Z';
  const refused: Decision = { decision: 'adopt', sessionId: OTHER, result: 'SESSION_MISMATCH', at };
  const decisions = Array.from({ length: 50 }, () => refused);
  const resolveCreate = () => Promise.resolve({ decisions, sessionId: adopted });
  const places = { sessions: { get: () => ({ resolveCreate }) } } as unknown as Parameters<typeof perform>[0];
  const order: ActOrder = { act: 'adopt', by: 'Robin', reason: 'same payor', requestId: 'once', sessionId };
  return perform(places, 'order-1', order);
}

test('the result of an adoption is not that of an earlier one, although the record is full', async () => {
  expect(await adopt(NAMED, NAMED)).toBe('applied');
  expect(await adopt(NAMED)).toBe('INVALID_INPUT');
  expect(await adopt(OTHER)).toBe('SESSION_MISMATCH');
});
