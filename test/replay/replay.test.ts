import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const directory = join(__dirname, 'histories');
const names = readdirSync(directory).filter((name) => name.endsWith('.json'));

const replayOptions = () => ({ workflowBundle: { codePath: process.env['PAYSESSION_TEST_BUNDLE'] ?? '' } });
const historyOf = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), 'utf8'));

describe('recorded sessions replay on the current code', () => {
  test.each(names)('%s', async (name) => {
    await Worker.runReplayHistory(replayOptions(), historyOf(name));
  });

  test('there are recordings to replay', () => {
    expect(names.length).toBeGreaterThanOrEqual(4);
  });

  test('a history that the code would not have made is refused', async () => {
    const altered = JSON.stringify(historyOf('eft-completed.json')).replaceAll(
      '"createSession"',
      '"createTwice"',
    );
    await expect(Worker.runReplayHistory(replayOptions(), JSON.parse(altered))).rejects.toThrow(
      DeterminismViolationError,
    );
  });
});
