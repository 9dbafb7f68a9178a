import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_SERVER } from '../cache/test-server';
import { reasonOf } from '../error-details';
import type { OnProgress } from '../progress';
import type { exerciseTestServer as ExerciseTestServer } from './exercise-test-server';
import { startTestServer } from '../run/start-server';

/** The classes that the test server loads until a first workflow has ended, ready for Java to use: with them it starts in half the time or less. */
const ARCHIVE = 'classes.jsa';
/** What Java writes while the server is tried: half an archive would end it. */
const UNCHECKED_ARCHIVE = 'unchecked.jsa';

/** Java goes on without an archive that is missing, or that another Java has made. */
export const USE_CLASS_ARCHIVE = `-XX:SharedArchiveFile=${ARCHIVE}`;

/**
 * Java options for short runs: a quick start and little memory matter more than speed later on. Paths are relative, since Java uses
 * an archive of classes only with the class path that it was made with, and the folder is moved into the cache.
 */
export const serverScript = (javaOption: string): string => `#!/bin/sh
cd "$(dirname "$0")" || exit
exec "\${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto ${javaOption} -cp "lib/*" io.temporal.testserver.TestServer "$@"
`;

export interface ClassArchiveOptions {
  /** Where the libraries are, and where the archive goes. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
}

/** Starts the server once so that Java archives its classes. Without the archive only time is lost, so a failure is reported and no more. */
export async function makeClassArchive({ folder, env, onProgress }: ClassArchiveOptions): Promise<void> {
  const executable = join(folder, 'make-class-archive');
  const unchecked = join(folder, UNCHECKED_ARCHIVE);
  try {
    await writeFile(executable, serverScript(`-XX:ArchiveClassesAtExit=${UNCHECKED_ARCHIVE}`), {
      mode: 0o755,
    });
    const server = await startTestServer({ executable, stopSignal: 'SIGTERM' });
    try {
      // Temporal's client takes its time to load, and an archive is made once.
      const { exerciseTestServer } = require('./exercise-test-server') as {
        readonly exerciseTestServer: typeof ExerciseTestServer;
      };
      await exerciseTestServer(server.address);
    } finally {
      await server.stop();
    }
    await writeFile(executable, serverScript(`-XX:SharedArchiveFile=${UNCHECKED_ARCHIVE}`));
    await TEST_SERVER.check(executable, env);
    await rename(unchecked, join(folder, ARCHIVE));
  } catch (error) {
    await rm(unchecked, { force: true });
    onProgress(
      `The Temporal test server will start more slowly: its classes were not archived. ${reasonOf(error)}`,
    );
  } finally {
    await rm(executable, { force: true });
  }
}
