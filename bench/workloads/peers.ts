import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from '../report/project';

export interface PeersOptions {
  readonly rounds: number;
  readonly sessions: number;
  readonly completesAfterS: number;
  readonly pollEveryMs: number;
}

const FOLDER = join(PROJECT, 'bench', 'peers');

/** Returns the figures of paysession, DBOS and Restate, by name. Throws an `Error` if the peers are not installed. */
export async function peers(options: PeersOptions): Promise<unknown> {
  if (!existsSync(join(FOLDER, 'node_modules')))
    throw new Error(
      'The peers are not installed: npm ci --prefix bench/peers. bench/peers/README.md says what else they need.',
    );
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(FOLDER, 'compare'),
    '--json',
    ...['--rounds', String(options.rounds)],
    ...['--sessions', String(options.sessions)],
    ...['--completes-after', String(options.completesAfterS)],
    ...['--poll-every', String(options.pollEveryMs)],
  ]);
  return JSON.parse(stdout);
}
