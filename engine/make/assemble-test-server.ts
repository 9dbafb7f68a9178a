import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reportEvery, type OnProgress } from '../progress';
import { runCommand } from '../run-command';
import { sha256Of } from './digest';
import { TEST_SERVER_LIBRARIES } from './test-server-libraries';
import { TEST_SERVER, TEST_SERVER_VERSION } from '../cache/test-server';

export interface AssembleOptions {
  /** Where the script and the libraries go. */
  readonly folder: string;
  /** The SHA-256 of each library. @default those of the version that is asked for */
  readonly libraries?: Readonly<Record<string, string>> | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

const MAVEN_TIMEOUT_MS = 5 * 60_000;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>paysession</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${TEST_SERVER_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** Java options for short runs: a quick start and little memory matter more than speed later on. */
const SCRIPT = `#!/bin/sh
exec "\${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"
`;

/**
 * Gets the test server's Java libraries with `mvn` and writes a script that runs them with Java 17 or later. Throws an
 * `Error` that says why it could not.
 */
export async function assembleTestServer(options: AssembleOptions): Promise<void> {
  const { folder, env } = options;
  if (process.platform === 'win32') throw new Error('the script that starts it needs a POSIX shell');
  await writeFile(join(folder, 'pom.xml'), POM);
  await withReports(options, () =>
    runCommand({
      file: 'mvn',
      args: ['-B', '-q', 'dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'],
      cwd: folder,
      env,
      timeoutMs: MAVEN_TIMEOUT_MS,
    }),
  );
  await checkLibraries(join(folder, 'lib'), options.libraries ?? TEST_SERVER_LIBRARIES);
  await writeFile(join(folder, TEST_SERVER.executableName), SCRIPT, { mode: 0o755 });
}

/** All that the script runs is what was pinned: a repository, or whoever stands before it, may give something else. */
async function checkLibraries(folder: string, digests: Readonly<Record<string, string>>): Promise<void> {
  const names = new Set([...Object.keys(digests), ...(await readdir(folder))]);
  for (const name of names) {
    const digest = await sha256Of(join(folder, name));
    if (digest !== digests[name])
      throw new Error(`${name} from Maven has the SHA-256 ${digest}, which is not the known one`);
  }
}

async function withReports<T>(options: AssembleOptions, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const line = () =>
    `Getting the Temporal test server with Maven: ${Math.round((performance.now() - startedAt) / 1_000)} s`;
  const stopReports = reportEvery(options.progressIntervalMs, options.onProgress, line);
  try {
    return await work();
  } finally {
    stopReports();
  }
}
