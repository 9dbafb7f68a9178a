import { Client } from '@temporalio/client';
import { findOnMachine } from '../../../src/temporal-server';
import { isLoopbackHost } from '../../../src/contract/values/loopback';
import { ERROR_CODES, explain, isPaysessionError, SettingsError } from '../../../src/errors';
import {
  connectTemporal,
  HIDE_SECRET_FILE,
  readCacheFolder,
  readCodecToken,
  readDigest,
  readSettings,
  SETTINGS,
  type WorkerSettings,
} from '../../../src/settings';
import { untilItWorks } from '../../../src/temporal-server/await-serving';
import { readVariable } from '../../../src/settings/parse-settings';
import type { Setting } from '../../../src/settings/table/setting-row';
import {
  attributeFaults,
  createCommand,
  describeMistyped,
  mendingCommands,
} from '../../../src/settings/register-search-attributes';
import { GRPC, isAnswer } from '../../../src/protocol/temporal/grpc';
import { nodeTooOld, OLDEST_NODE } from '../../node-version';
import { configuredSigner } from '../ledger/checkpoint';
import { examineLedger, examineLedgerEnvironment } from './examine-ledger';
import { miss, type Finding } from './finding';
import { examineConsoleSettings, examineLogin } from './login';
import { examineNetwork } from './network';
import { examineOpenSessions, examineTrouble } from './open-sessions';
import { examineService, missingAccount, openSessionsOf, type OpenSession } from './payment-service';
import { examineWorkers, examineEncryption, examineRecording } from './workers';
import { shellWord } from '../../../src/contract/values/text';
import { exposedSecretFiles } from '../../../src/settings/secret-files';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';

type Environment = NodeJS.ProcessEnv;

/** Runs the checks of `paysession doctor`, on this machine and at the servers in the settings. Installs, starts and changes nothing. */
export async function examine(env: Environment): Promise<readonly Finding[]> {
  const { findings, value, oidc } = await examineSettings(env);
  return [
    examineNode(process.versions.node),
    ...findings,
    ...examineNetwork(env, value, oidc?.issuer),
    await examineLocalTemporal(env),
    ...(await examineLogin(oidc)),
    ...(value === undefined ? [] : await examineServers(value)),
  ];
}

function examineNode(version: string): Finding {
  const ok = nodeTooOld(version) === undefined;
  return {
    subject: 'Node',
    ok,
    found: version,
    ...(!ok && { fix: `Install Node ${OLDEST_NODE} or later.` }),
  };
}

/** The functions with which some commands read settings that only they need. */
const READERS: readonly ((env: Environment) => unknown)[] = [
  readCacheFolder,
  readCodecToken,
  configuredSigner,
  (env) => readDigest(env, 'PAYSESSION_TEMPORAL_SHA256'),
  (env) => readDigest(env, 'PAYSESSION_TEST_SERVER_SHA256'),
];

/** Reads all settings, in the way the commands do. `value` is a worker's settings. It is absent if they cannot be used. */
export async function examineSettings(env: Environment) {
  const set: readonly Finding[] = SETTINGS.flatMap((setting) => {
    const value = readVariable(env, setting.name);
    return value === undefined ? [] : [{ subject: setting.name, ok: true, found: shown(setting, value) }];
  });
  const { misses, value } = await attempt(() => readSettings(env));
  const others = await Promise.all(READERS.map((read) => attempt(() => read(env))));
  const ofConsole = examineConsoleSettings(env);
  const wrong = [...misses, ...others.flatMap((other) => other.misses), ...ofConsole.findings];
  const valid = set.filter(({ subject }) => !wrong.some((finding) => finding.subject === subject));
  return { findings: [...valid, ...wrong, ...exposedFiles(env)], value, oidc: ofConsole.oidc };
}

/** Reads settings. Returns their value, or a finding for each error. */
async function attempt<T>(
  read: () => T,
): Promise<{ readonly misses: readonly Finding[]; readonly value?: Awaited<T> }> {
  try {
    return { misses: [], value: await read() };
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const failures =
      error instanceof SettingsError ? error.failures : [{ path: 'settings', message: explain(error) }];
    const { remedy: fix } = ERROR_CODES[error.code];
    return {
      misses: failures.map(({ path, message }) => ({ subject: path, ok: false, found: message, fix })),
    };
  }
}

const NOT_SHOWN = '(set, not shown)';

function shown({ secret, showsOrigin }: Setting, value: string): string {
  if (secret) return NOT_SHOWN;
  if (showsOrigin !== true) return value;
  const { origin } = URL.canParse(value) ? new URL(value) : { origin: 'null' };
  return origin === 'null' ? NOT_SHOWN : `${origin} (the rest is not shown)`;
}

function exposedFiles(env: Environment): Finding[] {
  return exposedSecretFiles(env).map((subject) => ({
    subject,
    commands: [`chmod o-rwx ${shellWord(env[subject] ?? '')}`],
    ok: true,
    found: 'every user of this machine can read the file, which holds secrets',
    fix: HIDE_SECRET_FILE,
  }));
}

async function examineLocalTemporal(env: Environment): Promise<Finding> {
  // If the setting of the cache folder is malformed, `examineSettings` reports that.
  const { value: temporal } = await attempt(() => findOnMachine(env));
  const found =
    temporal === undefined
      ? 'none yet: `paysession dev` and `paysession demo` download or build it'
      : `${temporal.executable} (${temporal.source})`;
  return { subject: 'Temporal CLI', ok: true, found };
}

async function examineServers(settings: WorkerSettings): Promise<readonly Finding[]> {
  const { findings, open } = await examineTemporal(settings);
  const services = Object.entries(settings.accounts).map((account) =>
    examineService(account, settings, open.get(account[0])),
  );
  return [
    ...findings,
    ...(await examineLedger(settings)),
    ...(await Promise.all(services)).flat(),
    ...missingAccount(settings),
  ];
}

interface ExaminedTemporal {
  readonly findings: readonly Finding[];
  /** For each account, an open session. An account is absent if no worker answers a query about its newest open sessions. */
  readonly open: ReadonlyMap<string, OpenSession>;
}

async function examineTemporal(settings: WorkerSettings): Promise<ExaminedTemporal> {
  const subject = 'Temporal server';
  const { address } = settings.connection;
  const findings: Finding[] = [];
  try {
    const { connection, namespace } = await connectTemporal(settings);
    try {
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      findings.push({ subject, ok: true, found: `${address} answers, version ${serverVersion}` });
      const client = new Client({ connection, namespace });
      const { taskQueue } = settings;
      const attributes = await examineSearchAttributes(client);
      findings.push(attributes);
      findings.push(await examineEncryption(client, settings));
      findings.push(await examineWorkers(client, taskQueue));
      findings.push(...(await examineRecording(client, settings)));
      findings.push(await examineOpenSessions(client, taskQueue));
      // This check searches by the search attributes, so it runs only if they exist.
      if (attributes.ok) findings.push(await examineTrouble(client, taskQueue));
      findings.push(...(await examineLedgerEnvironment(connection, settings)));
      return { findings, open: attributes.ok ? await openSessionsOf(connection, settings) : new Map() };
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { findings: [...findings, missOfServer(error, address, findings.length > 0)], open: new Map() };
  }
}

/** Returns the finding about a Temporal server that does not answer, or that has refused a call. */
function missOfServer(error: unknown, address: string, hasAnswered: boolean): Finding {
  if (hasAnswered && !isAnswer(error, GRPC.UNAVAILABLE))
    return miss('Temporal namespace', error, 'TEMPORAL_REFUSED');
  const isOfThisMachine = isLoopbackHost(address.replace(/:\d+$/, ''));
  const commands = isOfThisMachine ? { commands: ['paysession dev'] } : {};
  return { ...miss('Temporal server', error, 'TEMPORAL_UNAVAILABLE'), ...commands };
}

/** The longest wait for a search. The Temporal server can search by a new attribute only some seconds after it lists the attribute. */
const SEARCHED_WITHIN_MS = 10_000;
const BY_ATTRIBUTES = Object.values(SEARCH_ATTRIBUTES)
  .map((name) => `${name} IS NULL`)
  .join(' AND ');

async function examineSearchAttributes(client: Client): Promise<Finding> {
  const subject = 'Search attributes';
  const { namespace } = client.options;
  try {
    const { missing, mistyped } = await attributeFaults(client.connection, { namespace });
    if (mistyped.length > 0) {
      return {
        subject,
        ok: false,
        found: `of the wrong type in the namespace ${namespace}: ${describeMistyped(mistyped)}`,
        fix: 'Unless another program needs them as they are, run:',
        commands: mendingCommands(namespace, mistyped),
      };
    }
    if (missing.length > 0) {
      return {
        subject,
        ok: false,
        found: `missing in the namespace ${namespace}: ${missing.join(', ')}`,
        fix: 'Start a worker, which registers them if it is permitted to, or run:',
        commands: missing.map((name) => createCommand(namespace, name)),
      };
    }
    const search = () => client.workflow.count(BY_ATTRIBUTES).then(() => undefined);
    await untilItWorks(AbortSignal.timeout(SEARCHED_WITHIN_MS), search);
    return { subject, ok: true, found: `registered in the namespace ${namespace}` };
  } catch (error) {
    return miss(subject, error, 'TEMPORAL_REFUSED');
  }
}
