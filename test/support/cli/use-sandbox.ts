import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { createSandbox, type Sandbox } from '../../../sandbox';
import type { SessionRequest } from '../../../src';
import { paysession, type Finished } from './run-paysession';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

/** A sandbox, and the command line with settings for that sandbox and for a separate task queue. */
export interface CommandLine {
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (...args: string[]) => Promise<Finished>;
  /** Writes a request to a file, and returns its path. */
  readonly requestFile: (request: SessionRequest) => string;
}

/** Starts a sandbox for the tests of a file. Returns it with the command line that uses it. */
export function useSandbox(): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-cli-'));
  const sandbox = createSandbox({ paceMs: 50 });
  const env: NodeJS.ProcessEnv = {
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
    PAYSESSION_TASK_QUEUE: `cli-${randomUUID()}`,
    PAYSESSION_CLIENT_ID: DEFAULT_CLIENT.clientId,
    PAYSESSION_CLIENT_SECRET: DEFAULT_CLIENT.clientSecret,
  };

  beforeAll(async () => {
    env['PAYSESSION_BASE_URL'] = (await sandbox.listen()).url;
  });

  afterAll(async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  return {
    sandbox,
    env,
    run: (...args) => paysession(args, { env }),
    requestFile: (request) => {
      const path = join(folder, `${randomUUID()}.json`);
      writeFileSync(path, JSON.stringify(request));
      return path;
    },
  };
}

export const newKey = (): string => `cli-${randomUUID()}`;
