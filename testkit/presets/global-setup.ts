import { KeptServers } from './kept-servers';

/** What a test runner tells of its run: jest its configuration, vitest a project that has one. */
export interface Runner {
  readonly watch?: boolean;
  readonly watchAll?: boolean;
  readonly config?: { readonly watch?: boolean };
}

const KEPT = Symbol.for('paysession.testing.keptServers');

/** Beyond this module: jest loads it anew for each run of its watch mode. */
const runner = globalThis as { [KEPT]?: KeptServers | undefined };

/** Keeps test servers for the run, or for as long as the runner watches. Resolves with what ends them, which vitest calls. */
export default async function setup(told: Runner): Promise<() => Promise<void>> {
  if (runner[KEPT] === undefined) {
    runner[KEPT] = await KeptServers.start((line) => {
      if (!line.startsWith('Using ')) process.stderr.write(`${line}\n`);
    });
    if (isWatching(told)) {
      process.stderr.write('Temporal’s test server is kept between runs; it ends with the watch mode.\n');
    }
  }
  return endServers;
}

export function isWatching({ watch = false, watchAll = false, config }: Runner): boolean {
  return watch || watchAll || config?.watch === true;
}

export async function endServers(): Promise<void> {
  const kept = runner[KEPT];
  runner[KEPT] = undefined;
  await kept?.stop();
}
