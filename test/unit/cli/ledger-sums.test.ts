import { afterEach, expect, jest, test } from '@jest/globals';
import { printSums } from '../../../cli/commands/ledger/list';
import { PaysessionError } from '../../../src/errors';

afterEach(() => {
  jest.restoreAllMocks();
});

const written = (stream: NodeJS.WriteStream) => jest.spyOn(stream, 'write').mockReturnValue(true).mock;

test('if the sums of a list take too long, a warning says that they are missing', async () => {
  const [out, err] = [written(process.stdout), written(process.stderr)];
  const late = new PaysessionError('LEDGER_UNAVAILABLE', 'The ledger did not answer in time.');
  await printSums({ totals: () => Promise.reject(late) }, {});
  expect(out.calls).toEqual([]);
  expect(String(err.calls[0]?.[0]).replaceAll(/\s+/g, ' ')).toBe(
    'warning: The sums of all sessions that match are missing. The ledger did not answer in time. ',
  );
});

test('an unexpected error of the sums of a list ends the command', async () => {
  const totals = () => Promise.reject(new TypeError('unforeseen'));
  await expect(printSums({ totals }, {})).rejects.toThrow(TypeError);
});
