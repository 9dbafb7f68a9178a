import { afterEach, beforeEach, expect } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../../../../sandbox';
import { eft, startService } from '../requests-to-sandbox';

/** Returns a function that returns the path of the test’s data folder. Each test has a new path. The folder does not exist yet. */
export function useDataFolder(): () => string {
  let parent: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'paysession-data-'));
  });

  afterEach(() => {
    rmSync(parent, { recursive: true });
  });

  return () => join(parent, 'data');
}

/** Starts a sandbox with this data folder, creates five sessions, stops the sandbox, and returns the sessions' ids. */
export async function keepSessions(dataDir: string): Promise<readonly string[]> {
  const service = await startService({ dataDir });
  const sessionIds: string[] = [];
  for (let count = 0; count < 5; count += 1) sessionIds.push(await service.open(eft(`order-${count}`)));
  await service.sandbox.close();
  return sessionIds;
}

/** Starts a sandbox with this data folder. Returns those of `sessionIds` that the sandbox still has. If it does not start, returns the error’s message. */
export async function openFolder(
  dataDir: string,
  sessionIds: readonly string[],
): Promise<readonly string[] | string> {
  const sandbox = createSandbox({ dataDir });
  try {
    await sandbox.listen();
    return sessionIds.filter((sessionId) => sandbox.session(sessionId) !== undefined);
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringContaining(dataDir) });
    return (error as Error).message;
  } finally {
    await sandbox.close();
  }
}

/** Expects that a sandbox refuses the data folder. */
export async function expectRefused(dataDir: string, code: string, message: RegExp): Promise<void> {
  await expect(createSandbox({ dataDir }).listen()).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
}
