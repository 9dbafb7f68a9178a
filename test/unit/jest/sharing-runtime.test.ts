import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import * as paid from '../../../src/contract/paid';
import { readTemporalSettings } from '../../../src/settings';

/** Returns the lines of the sources that an error's stack names. */
function linesOf(error: unknown): readonly string[] {
  const { stack = '' } = error as Error;
  return Array.from(stack.matchAll(/(?:\(|at )(\/[^():]+\.ts):(\d+):\d+/g), ([, file = '', line]) =>
    String(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]),
  );
}

describe('the sources that tests import', () => {
  test('are those that Node has loaded for all files of the process', () => {
    const path = require.resolve('../../../src/contract/paid');
    expect(createRequire(__filename).cache[path]?.exports).toBe(paid);
  });

  test('have their own lines in stack traces, and so have tests', () => {
    let thrown: unknown;
    try {
      readTemporalSettings({ TEMPORAL_ADDRESS: 'x' });
    } catch (error) {
      thrown = error;
    }
    const lines = linesOf(thrown);
    expect(lines[0]).toContain('throw new SettingsError');
    expect(lines).toContainEqual(expect.stringContaining('readTemporalSettings('));
  });
});
