import { expect, test } from '@jest/globals';
import { stripVTControlCharacters } from 'node:util';
import { shownCall } from '../../../cli/commands/dev/dev-log';

const terminal = { isTTY: true, columns: 40 };
const CALL = `2031-05-06T14:03:21.114Z POST /api/v2/sessions/${'x'.repeat(40)} 200 3ms`;
const WARNING = 'sandbox-complete is not a scenario; did you mean sandbox-completes?';

test('on a terminal, a call in the log of `paysession dev` has a short time, and is cut to the terminal’s width', () => {
  expect(stripVTControlCharacters(shownCall(CALL, terminal))).toMatch(
    /^\d\d:\d\d:\d\d {2}POST \/api\/v2\/sessions\/x+…$/,
  );
  expect(shownCall(CALL, { isTTY: false })).toBe(CALL);
});

test('on a terminal, a warning in the log of `paysession dev` is not cut', () => {
  expect(shownCall(WARNING, terminal)).toBe(WARNING);
});
