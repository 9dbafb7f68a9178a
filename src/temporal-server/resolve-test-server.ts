import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCacheFolder, readDigest } from '../settings/temporal-server-settings';
import type { CachedProgram } from './cache';
import { digestFor, sha256Of, TEST_SERVER_DIGESTS, TEST_SERVER_LIBRARIES, type Digests } from './digests';
import { officialDownload, searchProgram, type TemporalServerExecutable } from './program-search';
import { usualIntervalMs, whileReporting, type OnProgress, type Reports } from './progress';
import { runCommand } from './run-command';

/** The release of Temporal's time-skipping test server, which is part of the Java SDK. */
const VERSION = '1.38.0';

const USAGE_TIMEOUT_MS = 20_000;

/** The time-skipping test server: while nothing runs, its clock jumps to the next timer. */
const TEST_SERVER: CachedProgram = {
  title: 'Temporal test server',
  entry: `temporal-test-server-${VERSION}`,
  executableName: process.platform === 'win32' ? 'temporal-test-server.exe' : 'temporal-test-server',
  check: async (executable, env) => {
    // Without a port, the server prints its usage and exits with 0.
    const output = await runCommand({ file: executable, args: [], env, timeoutMs: USAGE_TIMEOUT_MS });
    if (!output.includes('--enable-time-skipping'))
      throw new Error(`${executable} is not Temporal’s test server`);
  },
};

export interface ResolveTestServerOptions {
  /** Called with each line of progress. The last line says which server is used. @default none */
  readonly onProgress?: OnProgress;
  /** The environment variables: settings, PATH, and the environment of `mvn`, `java` and `tar`. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** The origin of the official download. @default 'https://temporal.download' */
  readonly downloadBaseUrl?: string;
  /**
   * The SHA-256 of the archive to download. If it is not known, nothing is downloaded.
   * @default PAYSESSION_TEST_SERVER_SHA256, or the known digest for this machine
   */
  readonly sha256?: string;
  /** The SHA-256 of each library from Maven, by file name. @default the known digests */
  readonly libraries?: Digests;
}

/**
 * Finds Temporal's time-skipping test server. Tries these ways, in this order: the PATH, the cache, the official download if its digest is
 * known, the server's Java libraries from Maven.
 *
 * Only one process at a time fills the cache. Other processes wait and use the result. Throws `TemporalServerNotFoundError`. Throws
 * `SettingsError` if a setting is invalid.
 */
export async function resolveTestServer({
  onProgress = () => undefined,
  env = process.env,
  downloadBaseUrl,
  sha256 = readDigest(env, 'PAYSESSION_TEST_SERVER_SHA256') ?? digestFor(TEST_SERVER_DIGESTS),
  libraries = TEST_SERVER_LIBRARIES,
}: ResolveTestServerOptions = {}): Promise<TemporalServerExecutable> {
  const [progressIntervalMs, cacheFolder] = [usualIntervalMs(), readCacheFolder(env)];
  const search = { onProgress, progressIntervalMs, program: TEST_SERVER, cacheFolder, env };
  return await searchProgram({
    ...search,
    making: [
      officialDownload(`Temporal test server ${VERSION}`, {
        ...search,
        downloadBaseUrl,
        sha256,
        sha256Setting: 'PAYSESSION_TEST_SERVER_SHA256',
        archivePath: `temporal-test-server/archive/v${VERSION}`,
        isInFolder: true,
      }),
      {
        way: 'maven',
        label: 'from Maven, run with Java',
        announcement: 'Getting the Temporal test server with Maven …',
        make: (folder) => assembleTestServer(folder, env, libraries, search),
      },
    ],
    advice:
      'Temporal’s test server was not found. Install Java 17 and Maven, or set PAYSESSION_TEST_SERVER_SHA256 to let it be downloaded.',
  });
}

const MAVEN_TIMEOUT_MS = 5 * 60_000;

/** The goal of Maven's plugin. It has a version, because Maven would otherwise choose one. */
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';

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
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * The script that runs the server with Java. Its options are for short runs: a quick start and little memory matter more than later speed.
 */
const SCRIPT = `#!/bin/sh
exec "\${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"
`;

/**
 * Downloads the test server's Java libraries with `mvn`, and writes a script that runs them with Java. If that fails, throws an `Error`
 * that says why.
 */
async function assembleTestServer(
  folder: string,
  env: NodeJS.ProcessEnv,
  libraries: Digests,
  reports: Reports,
): Promise<void> {
  if (process.platform === 'win32') throw new Error('the script that starts it needs a POSIX shell');
  await writeFile(join(folder, 'pom.xml'), POM);
  await whileReporting(
    reports,
    (seconds) => `Getting the Temporal test server with Maven: ${seconds} s`,
    () =>
      runCommand({
        file: 'mvn',
        args: ['-B', '-q', COPY_DEPENDENCIES, '-DincludeScope=runtime', '-DoutputDirectory=lib'],
        cwd: folder,
        env,
        timeoutMs: MAVEN_TIMEOUT_MS,
      }),
  );
  await checkLibraries(join(folder, 'lib'), libraries);
  await writeFile(join(folder, TEST_SERVER.executableName), SCRIPT, { mode: 0o755 });
}

/** Checks that all libraries have the known digests. A repository, or a machine on the way to it, could deliver other files. */
async function checkLibraries(folder: string, digests: Digests): Promise<void> {
  const names = new Set([...Object.keys(digests), ...(await readdir(folder))]);
  for (const name of names) {
    const digest = await sha256Of(join(folder, name));
    if (digest !== digests[name])
      throw new Error(`${name} from Maven has the SHA-256 ${digest}, which is not the known one`);
  }
}
