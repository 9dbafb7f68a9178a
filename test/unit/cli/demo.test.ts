import { expect, test } from '@jest/globals';
import { demonstrate } from '../../../cli/commands/demo';
import type { PaymentSessions } from '../../../src/sessions';

test('the demo ends with the worker’s error if the worker fails', async () => {
  const sessions = { open: () => new Promise(() => undefined) } as unknown as PaymentSessions;
  const workerDone = Promise.reject(new Error('lost'));
  await expect(demonstrate({ sessions, ledger: undefined, workerDone }, true)).rejects.toThrow('lost');
});
