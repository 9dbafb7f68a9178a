import type { Connection } from '@temporalio/client';
import { LedgerDatabase, PaymentLedger } from '../../../ledger';
import { describeServer } from '../../../ledger/postgres/server';
import { isPaysessionError } from '../../../src/errors';
import { readNamespace, type TemporalNamespace } from '../../../src/sessions';
import type { LedgerSettings, WorkerSettings } from '../../../src/settings';
import { miss, type Finding } from './finding';
import { examineWebhooks } from './webhooks';
import { isTlsLeftOpen, SAY_TLS } from '../../../src/settings/postgres-url';
import type { EnvironmentMisfit } from '../../../ledger/namespaces';

/**
 * Checks that the ledger answers, and that its tables have this version. Then checks the ledger's server, connection and webhook endpoints. Returns
 * no findings if no ledger is set.
 */
export async function examineLedger({
  ledger: settings,
  webhooks,
}: Pick<WorkerSettings, 'ledger' | 'webhooks'>): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  return [...(await examineDatabase(settings, webhooks)), ...examineTls(settings)];
}

async function examineDatabase(
  settings: LedgerSettings,
  webhooks: WorkerSettings['webhooks'],
): Promise<readonly Finding[]> {
  const subject = 'Ledger';
  const ledger = new PaymentLedger(settings);
  try {
    await ledger.check();
    return [
      { subject, ok: true, found: `answers, for the environment ${settings.environment}` },
      ...(await examineServer(settings.url)),
      ...(webhooks === undefined ? [] : await examineWebhooks(ledger, webhooks)),
    ];
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const isOutdated = error.code === 'LEDGER_SCHEMA_OUTDATED';
    const commands = isOutdated ? { commands: ['paysession ledger migrate'] } : {};
    return [{ ...miss(subject, error, error.code), ...commands }];
  } finally {
    await ledger.close();
  }
}

function examineTls(settings: LedgerSettings): readonly Finding[] {
  if (!isTlsLeftOpen(settings)) return [];
  const found =
    'on another machine, and the URL does not mention TLS: others on the network may read and change what is sent';
  return [{ subject: 'Ledger’s connection', ok: true, found, fix: SAY_TLS }];
}

/** Checks that the server is not a standby, and that its settings keep acknowledged data safe in a crash. */
async function examineServer(url: string): Promise<readonly Finding[]> {
  const database = new LedgerDatabase(url);
  try {
    const server = await describeServer(database);
    if (server === undefined) return [];
    const { version, isStandby, risks } = server;
    const found = [`PostgreSQL ${version}, in UTF-8`, ...risks, ...(isStandby ? ['a standby'] : [])].join(
      '; ',
    );
    const fixes: string[] = [];
    if (isStandby)
      fixes.push('Point PAYSESSION_LEDGER_URL at the primary server: a standby records nothing.');
    if (risks.length > 0)
      fixes.push(
        'Have the server’s administrator switch on what is off: a crash may lose what the ledger has acknowledged, and a payment may be made twice.',
      );
    const ok = fixes.length === 0;
    return [{ subject: 'Ledger’s server', ok, found, ...(!ok && { fix: fixes.join(' ') }) }];
  } finally {
    await database.close();
  }
}

const ENVIRONMENT_SUBJECT = 'Ledger environment';

/**
 * Checks that the workers of this namespace use only this environment of the ledger, and that workers of other namespaces do not use it. Returns no
 * findings if no ledger is set, or if the ledger cannot be read. `examineLedger` usually reports the latter.
 */
export async function examineLedgerEnvironment(
  connection: Connection,
  { ledger: settings, namespace: name }: Pick<WorkerSettings, 'ledger' | 'namespace'>,
): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  const ledger = new PaymentLedger(settings);
  try {
    const namespace = await readNamespace(connection, name);
    return [environmentFinding(await ledger.namespaces.misfitOf(namespace), settings.environment, namespace)];
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return [];
  } finally {
    await ledger.close();
  }
}

function environmentFinding(
  { strangers, elsewhere, divided }: EnvironmentMisfit,
  environment: string,
  namespace: TemporalNamespace,
): Finding {
  if (elsewhere.length > 0) {
    const found = `this machine reads ${environment}, and workers of the namespace ${namespace.name} record in ${elsewhere.join(', ')}`;
    const fix = 'Set PAYSESSION_LEDGER_ENVIRONMENT here as it is set for the workers.';
    return { subject: ENVIRONMENT_SUBJECT, ok: false, found, fix };
  }
  if (strangers.length > 0) {
    const others = strangers.map((other) => nameOf(other, namespace)).join(', ');
    const found = `${environment} is also used by ${others}: a key that one has claimed is refused to the other, unless the request is the same: then both follow one session`;
    const fix =
      'Set PAYSESSION_LEDGER_ENVIRONMENT to another name for the workers of one namespace. After a Temporal server was replaced, this ends within a day.';
    return { subject: ENVIRONMENT_SUBJECT, ok: false, found, fix };
  }
  if (divided.length > 0) {
    const found = `workers of the namespace ${namespace.name} record in ${[environment, ...divided].join(' and ')}: a key that was claimed in one is free in the other`;
    const fix =
      'Set PAYSESSION_LEDGER_ENVIRONMENT to the same name for all workers of the namespace. After a change, this ends within a day.';
    return { subject: ENVIRONMENT_SUBJECT, ok: false, found, fix };
  }
  return {
    subject: ENVIRONMENT_SUBJECT,
    ok: true,
    found: `${environment} has no workers of other namespaces`,
  };
}

const nameOf = ({ name, id }: TemporalNamespace, own: TemporalNamespace): string =>
  name === own.name ? `the namespace ${name} of another Temporal server (${id})` : `the namespace ${name}`;
