import { expect } from '@jest/globals';
import { SessionFailedError, type SessionResult } from '../../../src';
import type { LiveSession } from './live-session';
import { LOST, type WorldModel } from './world-model';

/** Checks that the model and the world agree after an action of a sequence. */
export async function expectAgreement(model: WorldModel, live: LiveSession): Promise<void> {
  const { phase, status, code = '', trouble, cancel, unsigned, unverified } = await live.session.state();
  const hasEnded = model.hasEnded();
  if (hasEnded === undefined) expect(['open', 'ended']).toContain(phase);
  else {
    // Only the phase is compared. The other fields are here to make a failed test easier to read.
    const said = { status, code, trouble, cancel, unsigned, unverified };
    expect({ phase, ...said }).toEqual({ phase: hasEnded ? 'ended' : model.phase, ...said });
  }
  if (phase === 'parked') expect(cancel !== undefined).toBe(model.cancelAsked);
  if (phase === 'open') expect(model.session?.states).toContain(`${status ?? ''}/${code}`);
}

/** Checks that the model and the world agree about an ended session, and that the session’s result is consistent. */
export async function expectSameEnd(model: WorldModel, live: LiveSession): Promise<void> {
  const end = await live.session.result().catch((error: unknown) => error);
  expect(live.creates()).toBe(model.creates);
  if (model.failure !== undefined) {
    expect(end).toMatchObject({ code: model.failure });
    if (end instanceof SessionFailedError) expect(kindsOf(end.state?.anomalies)).toEqual(anomaliesOf(model));
    return;
  }
  const result = end as SessionResult;
  const { status, code = '', stateHistory, cancel, unsigned, anomalies, sessionId } = result;
  expect(`${status}/${code}`).toBe(model.session?.state ?? 'Cancelled/');
  expect(unsigned ?? false).toBe(model.session?.isUnsigned() ?? false);
  expect([...model.cancels]).toContain(cancel === undefined ? 'none' : `${cancel.by}: ${cancel.outcome}`);
  expect(kindsOf(anomalies)).toEqual(anomaliesOf(model));
  expectTruth(live, result);
  expect(stateHistory.at(-1)).toMatchObject({ status, ...(code !== '' && { code }) });
  if (sessionId === undefined) expect(cancel?.outcome).toMatch(/neverCreated|possiblyCreated/);
  else if (cancel !== undefined) expect(cancel.outcome).toBe(LOST[status]);
}

/** Checks that the result has the state that the session has at the service. */
function expectTruth({ world }: LiveSession, { sessionId, status, code }: SessionResult): void {
  if (sessionId === undefined) return;
  const { state } = world.sandbox.session(sessionId) ?? {};
  expect({ status, code }).toEqual({ status: state?.status, code: state?.code });
}

/** Returns the expected anomalies: a possible orphan for each create request that was repeated or abandoned. */
function anomaliesOf({ orphans }: WorldModel): readonly string[] {
  return Array<string>(orphans).fill('possibleOrphan');
}

const kindsOf = (anomalies: SessionResult['anomalies'] = []): readonly string[] =>
  anomalies.map(({ kind }) => kind).sort();
