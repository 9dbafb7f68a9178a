import { PaysessionError } from '../../src/errors';
import type { Statements } from './database';

/** The roles that get rights in the ledger. */
export interface LedgerRoles {
  /** The workers’ role: it reads and appends, and changes no entry. */
  readonly workers?: string | undefined;
  /** The keeper’s role, which also makes checkpoints. */
  readonly keeper?: string | undefined;
  /** A role for reports by SQL: it reads the two views for reports, and no table of payments. */
  readonly reports?: string | undefined;
  /** The environments in which these roles may write, or read for reports, in addition to those of earlier grants. @default ['default'] */
  readonly environments?: readonly string[] | undefined;
}

/**
 * Returns the SQL that grants the roles their rights, for the tables’ owner to run. A second run changes nothing. No other place lists these
 * rights.
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
  // Deliveries may be changed: the ledger's entries are the record.
  `grant insert, update, delete on paysession_ledger.webhook_outbox, paysession_ledger.webhook_endpoints, paysession_ledger.webhook_settings, paysession_ledger.webhook_deliveries to ${role}`,
];

const rightsOfKeeper = (role: string): readonly string[] => [
  ...rightsOfWorkers(role),
  `grant insert on paysession_ledger.log, paysession_ledger.checkpoints to ${role}`,
  `grant delete on paysession_ledger.unsequenced to ${role}`,
];

/**
 * Grants the roles their rights.
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
