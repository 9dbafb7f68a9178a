import { CLI_VERSION } from '../cache/temporal-cli';
import { reportEvery, type OnProgress } from '../progress';
import { runCommand } from '../run-command';

export interface BuildOptions {
  /** Where the executable goes. */
  readonly folder: string;
  /** Go packages with their version. @default the Temporal CLI */
  readonly packages?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${CLI_VERSION}`;

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** Builds the Temporal CLI, or other packages, into a folder with the `go` on the PATH; throws an `Error` that says why it could not. */
export async function buildEngine({
  folder,
  packages = [CLI_PACKAGE],
  env,
  onProgress,
  progressIntervalMs,
}: BuildOptions): Promise<void> {
  const startedAt = performance.now();
  const line = () =>
    `Building the Temporal server with Go: ${Math.round((performance.now() - startedAt) / 1_000)} s`;
  const stopReports = reportEvery(progressIntervalMs, onProgress, line);
  try {
    await runCommand({
      file: 'go',
      args: ['install', ...packages],
      // Outside of any Go module or workspace that surrounds the current folder.
      cwd: folder,
      env: { ...env, GOBIN: folder, GOWORK: 'off' },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  } finally {
    stopReports();
  }
}
