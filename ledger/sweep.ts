import type { Client } from '@temporalio/client';
import type { KeyClaim, RecordEndInput } from '../src/protocol/activities/activities';
import { endFacts } from '../src/protocol/ledger/session-facts';
import { openReference } from '../src/protocol/temporal/search-attributes';
import { DEFAULT_ACCOUNT, WORKFLOW_ID_PREFIX } from '../src/protocol/names';
import type { Closed } from '../src/protocol/state/left-nothing';
import { fingerprintOf, PaymentSessions, readClosed, readStoredInput } from '../src/sessions';
import type { PaymentLedger } from './payment-ledger';

/** What a sweep has to go on. */
export interface SweepOptions {
  readonly client: Client;
  readonly ledger: PaymentLedger;
  /** Only sessions that ended at this time or later. @default all that Temporal still keeps */
  readonly endedAfter?: Date | undefined;
}

/** A session that a sweep has looked at. */
export interface SweptSession {
  readonly key: string;
  /** How many entries the ledger lacked; they were added. */
  readonly added: number;
}

/** So many sessions are asked of the ledger at once. */
const PAGE = 200;

/**
 * Compares the sessions that have ended with the ledger, and records what it lacks: what happened while it was away, and sessions from
 * before there was one. Gives each session that was looked at. Throws what `PaymentLedger` and `PaymentSessions.list` throw.
 */
export async function* sweepLedger(options: SweepOptions): AsyncGenerator<SweptSession> {
  const { client, ledger, endedAfter } = options;
  let page: string[] = [];
  const filter = { running: false, ...(endedAfter !== undefined && { endedAfter }) };
  for await (const { key } of new PaymentSessions(client).list(filter)) {
    page.push(key);
    if (page.length < PAGE) continue;
    yield* sweepPage(client, ledger, page);
    page = [];
  }
  yield* sweepPage(client, ledger, page);
}

async function* sweepPage(
  client: Client,
  ledger: PaymentLedger,
  keys: readonly string[],
): AsyncGenerator<SweptSession> {
  const ends = await ledger.endedAmong(keys);
  const isKnown = (claim: KeyClaim) =>
    ends.some(({ key, firstRunId }) => key === claim.key && firstRunId === claim.firstRunId);
  for (const key of new Set(keys)) {
    const ended = await readEnded(client, key, isKnown);
    yield { key, added: ended === undefined ? 0 : await mend(ledger, ended) };
  }
}

/** A session as Temporal has it. */
interface EndedSession {
  readonly claim: Parameters<PaymentLedger['claim']>[0];
  readonly end: RecordEndInput;
  /** ISO 8601, UTC. */
  readonly endedAt: string;
}

/** Reads a session that has ended; `undefined` where it is known, is no longer there, has begun anew, or has left nothing to read. */
async function readEnded(
  client: Client,
  key: string,
  isKnown: (claim: KeyClaim) => boolean,
): Promise<EndedSession | undefined> {
  const workflowId = `${WORKFLOW_ID_PREFIX}${key}`;
  const { runId, raw, startTime, closeTime } = await client.workflow.getHandle(workflowId).describe();
  const claim = { key, firstRunId: raw.workflowExecutionInfo?.firstRunId ?? runId };
  if (closeTime === undefined || isKnown(claim)) return undefined;
  const input = await readStoredInput(client, workflowId);
  const end = endOf(claim, await readClosed(client, workflowId, runId));
  if (input === undefined || end === undefined) return undefined;
  const { account = DEFAULT_ACCOUNT, request } = input;
  const at = startTime.toISOString();
  const referenceId = openReference(input);
  return {
    claim: {
      ...claim,
      fingerprint: fingerprintOf(input),
      account,
      request,
      at,
      ...(referenceId !== undefined && { referenceId }),
    },
    end,
    endedAt: closeTime.toISOString(),
  };
}

/** What a workflow that was terminated, or that has refused its input, has left tells nothing of a session. */
function endOf(claim: KeyClaim, closed: Closed): RecordEndInput | undefined {
  if ('result' in closed) return { ...claim, result: closed.result };
  const { failure, details } = closed;
  return failure === undefined || details === undefined ? undefined : { ...claim, failure, ...details };
}

async function mend(ledger: PaymentLedger, { claim, end, endedAt }: EndedSession): Promise<number> {
  const { outcome } = await ledger.claim(claim);
  // The key is another workflow's, whose end stands there.
  if (outcome === 'conflict' || outcome === 'ended' || outcome === 'failed') return 0;
  return ledger.record(claim.key, endFacts(end, endedAt));
}
