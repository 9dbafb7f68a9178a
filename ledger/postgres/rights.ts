import { PaysessionError } from '../../src/errors';
import type { Statements } from './database';

/** The database roles that get rights in the ledger. */
export interface LedgerRoles {
  /** The role of the workers. It may read entries and add new ones, but may not change entries. */
  readonly workers?: string | undefined;
  /** The role of the keeper. It may also make checkpoints. */
  readonly keeper?: string | undefined;
  /** A role for reports by SQL. It may read the two views for reports, and no tables. */
  readonly reports?: string | undefined;
  /** The environments in which these roles get rights. Rights from earlier grants in other environments remain. @default ['default'] */
  readonly environments?: readonly string[] | undefined;
}

/**
 * Returns the SQL that grants rights to the roles. The owner of the tables has to run it. Running it a second time changes nothing. This is the
 * only place that lists these rights.
 */
export const rightsOf = ({
  workers,
  keeper,
  reports,
  environments = ['default'],
}: LedgerRoles): readonly string[] => [
  ...(workers === undefined ? [] : rightsOfWorkers(quoted(workers))),
  ...(keeper === undefined ? [] : rightsOfKeeper(quoted(keeper))),
  ...[workers, keeper].flatMap((role) =>
    role === undefined ? [] : environments.map((environment) => listedIn('writers', role, environment)),
  ),
  ...(reports === undefined ? [] : rightsOfReports(quoted(reports))),
  ...(reports === undefined
    ? []
    : environments.map((environment) => listedIn('readers', reports, environment))),
];

const listedIn = (table: 'writers' | 'readers', role: string, environment: string): string =>
  `insert into paysession_ledger.${table} (role, environment) values (${literal(role)}, ${literal(environment)}) on conflict do nothing`;

const rightsOfReports = (role: string): readonly string[] => [
  `grant usage on schema paysession_ledger to ${role}`,
  `grant select on paysession_ledger.report_payments, paysession_ledger.report_entries to ${role}`,
];

const rightsOfWorkers = (role: string): readonly string[] => [
  `grant usage on schema paysession_ledger to ${role}`,
  `grant select on all tables in schema paysession_ledger to ${role}`,
  `grant insert on paysession_ledger.entries, paysession_ledger.session_keys to ${role}`,
  `grant insert, update on paysession_ledger.claims, paysession_ledger.namespaces, paysession_ledger.ops_conditions to ${role}`,
  `grant insert, update on paysession_ledger.unmatched_lines, paysession_ledger.reconciliation_runs to ${role}`,
  // A worker may change and delete the rows about deliveries. The permanent record is in the ledger's entries.
  `grant insert, update, delete on paysession_ledger.webhook_outbox, paysession_ledger.webhook_endpoints, paysession_ledger.webhook_settings, paysession_ledger.webhook_deliveries to ${role}`,
];

const rightsOfKeeper = (role: string): readonly string[] => [
  ...rightsOfWorkers(role),
  `grant insert on paysession_ledger.log, paysession_ledger.checkpoints to ${role}`,
  `grant delete on paysession_ledger.unsequenced to ${role}`,
];

/**
 * Grants rights to the roles.
 *
 * @throws {@link PaysessionError} `LEDGER_REFUSED` if a role does not exist
 */
export async function grantRights(statements: Statements, roles: LedgerRoles): Promise<void> {
  for (const role of [roles.workers, roles.keeper, roles.reports]) {
    if (role !== undefined) await checkRole(statements, role);
  }
  for (const right of rightsOf(roles)) await statements.query(right);
}

async function checkRole(statements: Statements, role: string): Promise<void> {
  const found = await statements.query('select 1 from pg_roles where rolname = $1', [role]);
  if (found.length > 0) return;
  const message = `The ledger’s server has no role ${quoted(role)}. Make it first: create role ${quoted(role)} login password '…'`;
  throw new PaysessionError('LEDGER_REFUSED', message);
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
