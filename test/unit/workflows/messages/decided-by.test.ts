import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { defaultPayloadConverter, RawValue } from '@temporalio/common';
import { log } from '@temporalio/workflow';
import { usableDecidedBy } from '../../../../workflows/messages/arguments';

const warn = () => jest.spyOn(log, 'warn').mockImplementation(() => undefined);
let warned: ReturnType<typeof warn>;

beforeEach(() => {
  warned = warn();
});

afterEach(() => {
  warned.mockRestore();
});

/** Returns an argument as a worker passes it that cannot decrypt it, or as another SDK may send it. */
const payload = (encoding: string, data: string) =>
  RawValue.fromPayload({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) });

const given = (value: unknown) => RawValue.fromPayload(defaultPayloadConverter.toPayload(value));

test.each([
  ['refused/ENCRYPTION_KEY_MISSING', '', 'ENCRYPTION_KEY_MISSING'],
  ['refused/ENCRYPTION_TAMPERED', '', 'ENCRYPTION_TAMPERED'],
  ['json/plain', '{"by":"Avery', 'INVALID_INPUT'],
])(
  'an unreadable argument of a cancel is logged, and the session is cancelled: %s %s',
  (encoding, data, code) => {
    expect(usableDecidedBy([payload(encoding, data)])).toBeUndefined();
    expect(warned.mock.calls).toEqual([[expect.stringContaining('The session is cancelled'), { code }]]);
    expect(JSON.stringify(warned.mock.calls)).not.toContain('Avery');
  },
);

test.each([[[]], [[given(null)]], [[given({ by: 'Avery' })]], [[given({ by: 7 })]]])(
  'a readable argument of a cancel is not logged: %#',
  (args) => {
    usableDecidedBy(args);
    expect(warned).not.toHaveBeenCalled();
  },
);
