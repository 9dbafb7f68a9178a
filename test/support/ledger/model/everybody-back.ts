import { isPaysessionError } from '../../../../src/errors';
import type { LedgerSession } from '../../../../ledger';
import { MESSAGES } from '../../../../src/protocol/names';
import { recordedSession } from '../../../../src/protocol/ledger/recorded-session';
import { calm } from './calm';
import { firstRunOf } from './check-truth';
import { readSaid, type Said } from './check-rows';
import type { Environment } from './environment';
import type { Run } from './run';
import { isPaidFor, type ServedSession } from './simulated-service';
import { placeOf, type ModelWorld } from './world';
import { SEARCH_ATTRIBUTES } from '../../../../src/protocol/temporal/search-attributes';

/**
 * Checks the rules that apply at the end of a history, once all outages are over and a sweep has run. Then operators decide about
 * parked sessions, callers repeat their requests, and the rules are checked again.
 */
export async function checkEverybodyBack(world: ModelWorld, check: () => Promise<void>): Promise<void> {
  for (const environment of world.environments) {
    const said = await readSaid(environment);
    checkAgreement(world, said);
    for (const session of paidOf(world, environment)) checkPaid(world, said, session);
    await decide(world, said);
    await askAgain(world, await readSaid(environment));
  }
  await check();
  for (const environment of world.environments) {
    const said = await readSaid(environment);
    for (const session of paidOf(world, environment)) {
      const row = said.listed.find(({ sessionId }) => sessionId === session.sessionId);
      if (row !== undefined && !row.paid && !world.forgotten.has(session.sessionId))
        world.broken(
          `${session.sessionId} is paid for, its caller has asked again, and its row is ${JSON.stringify(row)}`,
        );
    }
  }
}

const paidOf = ({ service }: ModelWorld, { name }: Environment): readonly ServedSession[] =>
  service.sessions.filter((session) => session.environment === name && isPaidFor(session));

/** Checks that a paid session is paid in the ledger, or that the ledger or Temporal lists it as open or parked. */
function checkPaid(
  world: ModelWorld,
  { environment, listed, standing, entries }: Said,
  session: ServedSession,
): void {
  const { sessionId, sentBy } = session;
  if (world.forgotten.has(sessionId)) return;
  const row = listed.find((one) => one.sessionId === sessionId);
  if (row?.paid === true || row?.parked === true) return;
  const place = placeOf(environment.name, sentBy.key);
  if (row !== undefined) {
    // The row may be open in two cases: no workflow follows the session, or the workflow is parked and Temporal lists it.
    const firstRunId = firstRunOf(entries.get(row.key) ?? [], row.claim);
    const isFollowed = environment.temporal.runs.some(
      (run) => run.isRunning && run.start.firstRunId === firstRunId && !isParked(run),
    );
    if (row.outcome !== 'open' || isFollowed)
      world.broken(`${place}: ${sessionId} is paid for, and its row is ${JSON.stringify(row)}`);
    return;
  }
  const holder = standing.get(sentBy.key);
  if (holder === undefined) {
    if (!knownToTemporal(environment, sentBy.key))
      world.broken(`${place}: ${sessionId} is paid for, and nobody knows of it`);
    return;
  }
  const recorded = recordedSession(sentBy.key, entries.get(sentBy.key) ?? []);
  const isSaid = recorded?.state.anomalies.some(({ kind }) => kind === 'possibleOrphan') === true;
  if (holder.outcome !== 'open' && !isSaid && !knownToTemporal(environment, sentBy.key))
    world.broken(`${place}: ${sessionId} is paid for, and the ledger says ${JSON.stringify(holder)}`);
}

const knownToTemporal = ({ temporal }: Environment, key: string): boolean => temporal.find(key) !== undefined;

const endedWithSession = ({ end, state: { shown } }: Run): boolean =>
  end?.status === 'COMPLETED'
    ? end.result.sessionId !== undefined
    : shown[SEARCH_ATTRIBUTES.shortId] !== undefined;

/** Checks that the ledger and Temporal agree about the workflows that have ended. */
function checkAgreement(world: ModelWorld, { environment, standing, entries }: Said): void {
  for (const [key, row] of standing) {
    const firstRunId = firstRunOf(entries.get(key) ?? [], row.claim);
    const run = environment.temporal.runs.findLast(({ start }) => start.firstRunId === firstRunId);
    if (run?.end === undefined || run.end.status === 'TERMINATED') continue;
    if (world.terminated.has(run.start.firstRunId)) continue;
    const place = placeOf(environment.name, key);
    // A workflow that ended without a session says nothing about a session that was recorded later.
    if (row.outcome === 'open' && row.sessionId !== undefined && !endedWithSession(run)) continue;
    if (run.end.status === 'COMPLETED') {
      const { status, paid, sessionId } = run.end.result;
      const told = ['ended', status, paid, sessionId];
      const shown = [row.outcome, row.status, row.paid, row.sessionId];
      if (JSON.stringify(told) !== JSON.stringify(shown))
        world.broken(`${place} ended ${JSON.stringify(told)}, and the list says ${JSON.stringify(shown)}`);
    } else if (row.failure !== run.end.failure.applicationFailureInfo?.type)
      world.broken(
        `${place} failed with ${String(run.end.failure.applicationFailureInfo?.type)}, and the list says ${row.failure ?? row.outcome}`,
      );
  }
}

/** Decides about all parked sessions: “retry” if the ledger knows the session, and otherwise “abandon”. */
async function decide(world: ModelWorld, { environment, standing }: Said): Promise<void> {
  for (const run of environment.temporal.runs.filter(isParked)) {
    const answer = standing.get(run.start.key)?.sessionId === undefined ? { abandon: true } : { retry: true };
    await environment.temporal.update(run, MESSAGES.resolveCreate, answer);
  }
  await calm(world, environment);
}

const isParked = ({ isRunning, state: { shown } }: Run): boolean =>
  isRunning && shown[SEARCH_ATTRIBUTES.phase] === 'parked';

/** Drops all ended workflows in Temporal, lets callers repeat their requests, and compares the answers with the ledger’s data. */
async function askAgain(world: ModelWorld, { environment, standing, entries }: Said): Promise<void> {
  for (const run of environment.temporal.runs.filter(({ isRunning }) => !isRunning))
    await environment.temporal.forget(run);
  world.tell(`${environment.name}: Temporal forgets all that has ended, and callers ask again`);
  await world.noteForgotten('retention');
  for (const [key, row] of standing) {
    const request = requestOf(entries.get(key) ?? [], row);
    if (request === undefined) continue;
    try {
      await environment.start({ key, request, policy: { onUnknownCreate: 'park' } });
    } catch (error) {
      if (!isPaysessionError(error, 'SESSION_CONFLICT')) throw error;
    }
    await calm(world, environment);
    const run = environment.temporal.find(key);
    const answer = run?.end?.status === 'COMPLETED' ? run.end.result : undefined;
    const isAnother =
      answer !== undefined &&
      row.outcome === 'ended' &&
      (answer.paid !== row.paid || answer.status !== row.status || answer.sessionId !== row.sessionId);
    if (isAnother)
      world.broken(
        `${placeOf(environment.name, key)}: who asks again gets ${JSON.stringify(answer)}, and the list said ${JSON.stringify(row)}`,
      );
  }
}

function requestOf(
  entries: Said['entries'] extends ReadonlyMap<string, infer E> ? E : never,
  { claim }: LedgerSession,
) {
  const claimed = entries.find((entry) => entry.claim === claim && entry.fact.kind === 'claimed')?.fact;
  return claimed?.kind === 'claimed' ? claimed.request : undefined;
}
