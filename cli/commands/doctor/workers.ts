import type { Client } from '@temporalio/client';
import { allKeys } from '../../../src/encryption';
import { ERROR_CODES } from '../../../src/errors';
import { MESSAGES } from '../../../src/protocol/names';
import { GRPC, grpcAnswerOf } from '../../../src/protocol/temporal/grpc';
import {
  isGone,
  isTimeout,
  newestOpen,
  openSessionsOn,
  pollersOf,
  unservedBy,
  type Poller,
} from '../../../src/sessions';
import type { WorkerSettings, TemporalSettings } from '../../../src/settings';
import { firstOf, type Finding } from './finding';
import { announcesLedger, encryptionOf, workerNameOf } from '../../../src/encryption/worker-encryption';

/** The maximum number of workers that a finding names. The others are only counted. */
const MAX_NAMED = 3;
const SUBJECT = 'Workers';
const FIX = { fix: ERROR_CODES.WORKER_UNAVAILABLE.remedy, commands: ['paysession worker'] };

/**
 * Reports which workers poll the task queue. If there are none, that is a fault only if sessions wait for a worker. The Temporal server still lists a
 * worker for a while after the worker has stopped. So this check also queries the state of an open session, which only a running worker can answer.
 */
export async function examineWorkers(client: Client, taskQueue: string): Promise<Finding> {
  const { namespace } = client.options;
  const queue = `the task queue ${taskQueue}`;
  const pollers = await pollersOf(client, taskQueue);
  const unserved = unservedBy(pollers, { taskQueue, namespace });
  if (unserved === undefined) {
    const workers = pollers.filter(({ recent, getsSessions }) => recent && getsSessions);
    const silent = await silentSession(client, taskQueue);
    const named = firstOf(workers.map(seenText), MAX_NAMED);
    const found = `${workers.length} ${workers.length === 1 ? 'polls' : 'poll'} ${queue}: ${named}`;
    if (silent === undefined) return { subject: SUBJECT, ok: true, found };
    const lost = `${found}; ${silent} got no answer in ${ANSWER_MS / 1_000} s: the workers have left, or are overloaded`;
    return { subject: SUBJECT, ok: false, found: lost, ...FIX };
  }
  const { count: waiting } = await client.workflow.count(openSessionsOn(taskQueue));
  const { why } = unserved;
  const found =
    why === undefined
      ? `no worker polls ${queue} of the namespace ${namespace}`
      : `no worker gets sessions of ${queue} of the namespace ${namespace}: ${why.found}`;
  const mends = why === undefined ? FIX : { fix: why.fix };
  const waits = waiting === 0 ? '' : `; open sessions waiting for one: ${waiting}`;
  return { subject: SUBJECT, ok: waiting === 0, found: `${found}${waits}`, ...mends };
}

/** Describes a worker by its identity and the time since its last poll. A running worker polls at least once a minute. */
function seenText({ identity, polledAtMs }: Pick<Poller, 'identity' | 'polledAtMs'>): string {
  if (polledAtMs === 0) return identity;
  return `${identity} (last polled ${Math.max(0, Math.round((Date.now() - polledAtMs) / 1_000))} s ago)`;
}

/** The longest wait for an answer. If a worker has just stopped, its task goes to another worker within ten seconds. */
const ANSWER_MS = 12_000;

/** The maximum number of sessions to query. More than one is queried only if the index lists sessions that Temporal no longer has. */
const MAX_QUERIED = 10;

/** Queries the newest open session. Returns its workflow id if no worker answers. */
async function silentSession(client: Client, taskQueue: string): Promise<string | undefined> {
  for (const { workflowId } of await newestOpen(client, taskQueue, MAX_QUERIED)) {
    const answer = await answerOf(client, workflowId);
    if (answer !== 'gone') return answer === 'silent' ? workflowId : undefined;
  }
  return undefined;
}

/** Queries a session. The answer is not decoded, because this machine may lack the encryption keys. */
async function answerOf(client: Client, workflowId: string): Promise<'answered' | 'silent' | 'gone'> {
  try {
    await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.queryWorkflow({
        namespace: client.options.namespace,
        execution: { workflowId },
        query: { queryType: MESSAGES.state },
      }),
    );
    return 'answered';
  } catch (error) {
    if (isGone(error)) return 'gone';
    // With any other error, there may be a worker. If the session has a problem, the check of the open sessions reports it.
    return isUnanswered(error) ? 'silent' : 'answered';
  }
}

/** True if the call timed out, or the server's message says that no worker polls. The gRPC code alone could mean something else. */
function isUnanswered(error: unknown): boolean {
  const answer = grpcAnswerOf(error);
  if (answer?.code === GRPC.FAILED_PRECONDITION) return /no poller/i.test(answer.details);
  return isTimeout(error);
}

/** Workers whose encryption differs from the settings, the difference, and what to do about it. */
type Difference = readonly [workers: readonly Poller[], what: string, fix: string];

/** Compares the encryption settings with the facts that the task queue's workers show in their identities. */
export async function examineEncryption(
  client: Client,
  { taskQueue, encryption, encryptionRequired }: TemporalSettings,
): Promise<Finding> {
  const subject = 'Encryption';
  const workers = newestOfEachName(await pollersOf(client, taskQueue));
  const here = encryption === undefined ? [] : allKeys(encryption).map(({ id }) => id);
  const said = here.length === 0 ? 'no keys here' : `keys here: ${here.join(', ')}`;
  const found = `${said}; ${encryptionRequired ? 'required' : 'plain text is accepted'}`;
  const plain = workers.filter(({ identity }) => encryptionOf(identity) === undefined);
  const encrypting = workers.filter((worker) => !plain.includes(worker));
  const [current = ''] = here;
  const lacking = encrypting.filter(({ identity }) => lacksKey(identity, current));
  const lax = encrypting.filter(
    ({ identity }) => encryptionRequired && encryptionOf(identity)?.required === false,
  );
  const differences: readonly Difference[] = [
    [
      here.length === 0 ? encrypting : [],
      'workers encrypt',
      'Set the workers’ keys here: without them, sessions started here are stored in plain text.',
    ],
    [here.length === 0 ? [] : plain, 'workers have no keys', 'Give every worker the same keys.'],
    [lacking, `workers lack the key ${current}`, 'See which keys are where:'],
    [lax, 'workers accept plain text', 'Set PAYSESSION_ENCRYPTION=required for every worker.'],
  ];
  const difference = differences.find(([which]) => which.length > 0);
  if (difference === undefined) return { subject, ok: true, found: `${found}; ${agreeing(workers)}` };
  const [which, what, fix] = difference;
  return {
    subject,
    ok: false,
    found: `${found}; ${what}: ${firstOf(which.map(seenText), MAX_NAMED)}`,
    fix,
    commands: ['paysession keys check'],
  };
}

/** True if a worker certainly lacks a key: it shows all its keys, and this one is not among them. */
function lacksKey(identity: string, id: string): boolean {
  const { keyIds = [], mayHaveMore = false } = encryptionOf(identity) ?? {};
  return keyIds.length > 0 && !keyIds.includes(id) && !mayHaveMore;
}

function agreeing(workers: readonly Poller[]): string {
  if (workers.length === 0) return 'no worker polls the task queue';
  return workers.length === 1 ? 'the worker agrees' : `all ${workers.length} workers agree`;
}

/**
 * Returns the workers that polled recently. If several have the same name, returns the one that polled last: after a restart, the Temporal server
 * still lists the worker's earlier process.
 */
export function newestOfEachName(pollers: readonly Poller[]): readonly Poller[] {
  const oldestFirst = pollers.filter(({ recent }) => recent).sort((a, b) => a.polledAtMs - b.polledAtMs);
  return [...new Map(oldestFirst.map((poller) => [workerNameOf(poller.identity), poller])).values()];
}

/**
 * Reports workers without a ledger, if another worker or this machine has a ledger. Returns no findings if there are no workers, or if no ledger is
 * set anywhere.
 */
export async function examineRecording(
  client: Client,
  { ledger, taskQueue }: Pick<WorkerSettings, 'ledger' | 'taskQueue'>,
): Promise<readonly Finding[]> {
  const subject = 'Ledger of the workers';
  const workers = newestOfEachName(await pollersOf(client, taskQueue));
  const without = workers.filter(({ identity }) => !announcesLedger(identity));
  const isNowhere = ledger === undefined && without.length === workers.length;
  if (isNowhere || workers.length === 0) return [];
  if (without.length === 0)
    return [{ subject, ok: true, found: `${workers.length} of ${workers.length} have one` }];
  const names = firstOf(without.map(seenText), MAX_NAMED);
  return [
    {
      subject,
      ok: false,
      found: `${without.length} of ${workers.length} have none: ${names}. They claim no keys and record nothing, so a key may open a second session`,
      fix: 'Give every worker the same PAYSESSION_LEDGER_URL and PAYSESSION_LEDGER_ENVIRONMENT, and start it again.',
    },
  ];
}
