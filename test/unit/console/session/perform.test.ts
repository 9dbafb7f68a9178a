import { expect, jest, test } from '@jest/globals';
import { confirmPage, readActForm } from '../../../../console/session/acts/confirm-form';
import { perform, type ActOrder } from '../../../../console/session/acts/perform';
import type { Decision } from '../../../../src/protocol/state/recorded';
import { OPERATOR, viewOf } from '../../../support/console/session-page';
import { eft } from '../../../support/requests';

type Places = Parameters<typeof perform>[0];

const [NAMED, OTHER] = ['11111111-2222-4333-8444-555555555555', '99999999-2222-4333-8444-555555555555'];

/** Returns the result of an adoption in a record that is full of refused ones. */
async function adopt(sessionId: string, adopted?: string) {
  const at = '2031-05-06T12:00:00.000Z';
  const refused: Decision = { decision: 'adopt', sessionId: OTHER, result: 'SESSION_MISMATCH', at };
  const decisions = Array.from({ length: 50 }, () => refused);
  const resolveCreate = () => Promise.resolve({ decisions, sessionId: adopted });
  const places = { sessions: { get: () => ({ resolveCreate }) } } as unknown as Places;
  const order: ActOrder = { act: 'adopt', by: 'Robin', reason: 'same payor', requestId: 'once', sessionId };
  return perform(places, 'order-1', order);
}

test('a return is handled for the payment that the page showed', async () => {
  const handleReturn = jest.fn<(key: string, handled: object) => Promise<boolean>>().mockResolvedValue(true);
  const places = { sessions: { get: () => ({}) }, ledger: { handleReturn } } as unknown as Places;
  const view = { ...viewOf(eft()), money: { claim: 2 } };
  const { text } = confirmPage({ act: 'handle', view }, OPERATOR);
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of text.matchAll(/name="(\w+)" value="(.*?)"/g))
    fields.set(name, value);
  const { once, ...form } = readActForm(fields);
  const order = { ...form, act: 'handle', by: 'Robin', reason: 'by card', requestId: once } as const;
  expect(await perform(places, 'order-1', order)).toBe('applied');
  expect(handleReturn).toHaveBeenCalledWith('order-1', { by: 'Robin', reason: 'by card', claim: 2 });
});

test('the result of an adoption is not that of an earlier one, although the record is full', async () => {
  expect(await adopt(NAMED, NAMED)).toBe('applied');
  expect(await adopt(NAMED)).toBe('INVALID_INPUT');
  expect(await adopt(OTHER)).toBe('SESSION_MISMATCH');
});
