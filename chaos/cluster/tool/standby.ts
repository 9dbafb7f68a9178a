import { untilItWorks } from '../../../src/temporal-server/await-serving';
import { DATABASE_USER, Postgres } from './postgres';
import { TEMPORAL_HOST } from '../../../src/temporal-server/start-server';

const TIMEOUT_MS = 30_000;

export interface StandbyPlace {
  /** The folder for the copy, which does not exist yet. */
  readonly data: string;
  readonly port: number;
}

/**
 * Copies a database, and starts the copy as its standby. From then on, the database acknowledges a commit only when the
 * standby has it. So a failover loses no acknowledged data.
 */
export async function startStandby(primary: Postgres, { data, port }: StandbyPlace): Promise<Postgres> {
  const { programs, port: from } = primary.options;
  const source = ['--host', TEMPORAL_HOST, '--port', String(from), '--username', DATABASE_USER];
  const copy = ['--write-recovery-conf', '--checkpoint', 'fast', '--no-sync', '--pgdata', data];
  await programs.run('pg_basebackup', [...source, '--no-password', ...copy]);
  const standby = new Postgres({ programs, data, port });
  await standby.start();
  try {
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
    await untilItWorks(AbortSignal.timeout(TIMEOUT_MS), async () => {
      const following = await primary.query(
        `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'`,
      );
      if (following !== '1') throw new Error('The standby does not follow its database.');
    });
  } catch (error) {
    await standby.end('immediate');
    throw error;
  }
  return standby;
}
