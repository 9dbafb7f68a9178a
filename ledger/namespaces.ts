import { SettingsError } from '../src/errors';
import type { TemporalNamespace } from '../src/sessions';
import type { LedgerDatabase } from './postgres/database';

/**
 * Records which Temporal namespaces use which environments of the ledger. Several environments, such as production and test, can share a
 * database. A key is unique in its environment, so each namespace should have exactly one environment, which no other namespace uses.
 */

/** An environment of the ledger, and a Temporal namespace whose workers record in that environment. */
export interface EnvironmentUse {
  readonly environment: string;
  readonly namespace: TemporalNamespace;
  /** True if a worker of the namespace was recording in the environment within the last day. */
  readonly isRecent: boolean;
}

/** The conflicts between a namespace's use of an environment and the other uses. Empty lists mean that there are none. */
export interface EnvironmentMisfit {
  /**
   * Other namespaces whose workers recorded in the environment within the last day. If one namespace claims a key, the key is taken for the
   * other namespaces, too.
   */
  readonly strangers: readonly TemporalNamespace[];
  /** The environments in which workers of the namespace record, if they do not record in this environment. Otherwise empty. */
  readonly elsewhere: readonly string[];
  /** Other environments in which workers of the namespace recorded within the last day. A payment may be in any of these environments. */
  readonly divided: readonly string[];
}

/** The namespaces that use the ledger's environments. */
export class LedgerNamespaces {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** Records that a worker of the namespace uses this environment. Workers call this method again within a day. */
  async register({ name, id }: TemporalNamespace): Promise<void> {
    await this.#database.query(
      `insert into paysession_ledger.namespaces (environment, namespace_id, namespace, seen_at)
        values ($1, $2, $3, clock_timestamp())
        on conflict (environment, namespace_id) do update set namespace = excluded.namespace, seen_at = excluded.seen_at`,
      [this.#environment, id, name],
    );
  }

  /** Returns the conflicts of a namespace that uses this environment. */
  async misfitOf(namespace: TemporalNamespace): Promise<EnvironmentMisfit> {
    return misfitOf(await this.all(), { environment: this.#environment, namespace });
  }

  /** Returns the environments in which workers record. If this environment is among them, returns an empty list. */
  async otherEnvironments(): Promise<readonly string[]> {
    const used = new Set(inUse(await this.all()).map(({ environment }) => environment));
    return used.has(this.#environment) ? [] : [...used];
  }

  /** Throws `SettingsError` `INVALID_SETTINGS` if workers record in other environments and not in this one. */
  async refuseUnused(): Promise<void> {
    const used = await this.otherEnvironments();
    if (used.length === 0) return;
    const message = `is ${this.#environment}, in which no worker records; workers record in ${used.join(', ')}: set it here as it is set for them. Nothing was changed`;
    throw new SettingsError([{ path: 'PAYSESSION_LEDGER_ENVIRONMENT', message }]);
  }

  /**
   * Throws `SettingsError` `INVALID_SETTINGS` if the namespace's workers record in other environments and not in this one. The caller would
   * otherwise record each payment a second time, in this environment.
   */
  async refuseElsewhere(namespace: TemporalNamespace): Promise<void> {
    const { elsewhere } = await this.misfitOf(namespace);
    if (elsewhere.length === 0) return;
    const message = `is ${this.#environment}, and workers of the namespace ${namespace.name} record in ${elsewhere.join(', ')}: set it here as it is set for them`;
    throw new SettingsError([{ path: 'PAYSESSION_LEDGER_ENVIRONMENT', message }]);
  }

  /** Returns the uses of all environments. */
  async all(): Promise<readonly EnvironmentUse[]> {
    return this.#database.query<EnvironmentUse>(
      `select environment, json_build_object('name', namespace, 'id', namespace_id) as namespace,
          seen_at > clock_timestamp() - interval '1 day' as "isRecent"
        from paysession_ledger.namespaces uses order by environment, uses.namespace, namespace_id`,
    );
  }
}

/** Returns the uses that still count. If a namespace has a recent use, its older uses of other environments do not count. */
const inUse = (uses: readonly EnvironmentUse[]): readonly EnvironmentUse[] =>
  uses.filter(
    ({ isRecent, namespace: { id } }) =>
      isRecent || !uses.some((other) => other.isRecent && other.namespace.id === id),
  );

/** Compares a namespace's use of an environment with all known uses. After a namespace stops using an environment, its use counts for a day. Pure. */
export function misfitOf(
  uses: readonly EnvironmentUse[],
  { environment, namespace: { id } }: Pick<EnvironmentUse, 'environment' | 'namespace'>,
): EnvironmentMisfit {
  const environmentsOf = (some: readonly EnvironmentUse[]) =>
    some.filter((use) => use.namespace.id === id).map((use) => use.environment);
  const others = uses.filter((use) => use.environment !== environment);
  const used = environmentsOf(inUse(uses));
  return {
    strangers: uses
      .filter((use) => use.environment === environment && use.namespace.id !== id && use.isRecent)
      .map(({ namespace }) => namespace),
    elsewhere: used.includes(environment) ? [] : used,
    divided: environmentsOf(others.filter(({ isRecent }) => isRecent)),
  };
}
