import type { CachedProgram } from './cached-program';
import { runCommand } from '../run-command';

/** The release of Temporal's time-skipping test server, which is a part of the Java SDK. */
export const TEST_SERVER_VERSION = '1.38.0';

const USAGE_TIMEOUT_MS = 20_000;

/** The server whose clock jumps to the next timer while nothing runs. */
export const TEST_SERVER: CachedProgram = {
  title: 'Temporal test server',
  entry: `temporal-test-server-${TEST_SERVER_VERSION}`,
  executableName: process.platform === 'win32' ? 'temporal-test-server.exe' : 'temporal-test-server',
  check: async (executable, env) => {
    // Without a port it prints its usage and exits with 0.
    const output = await runCommand({ file: executable, args: [], env, timeoutMs: USAGE_TIMEOUT_MS });
    if (!output.includes('--enable-time-skipping'))
      throw new Error(`${executable} is not Temporal’s test server`);
  },
};
