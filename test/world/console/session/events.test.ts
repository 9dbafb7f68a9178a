import { describe, expect, test } from '@jest/globals';
import type { ConsoleLedger } from '../../../../console/options';
import { judgeClaim } from '../../../../ledger/judge-claim';
import type { ClaimFact } from '../../../../src/protocol/ledger/fold';
import { CLAIM } from '../../../support/ledger/claim';
import { completing, leftOpen, overTheLimit } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { NO_WEBHOOKS, plain } from '../../../support/console/session-page';
import { heard, listen, now } from '../../../support/console/session/live-events';

describe('the live page of a session', () => {
  const world = useWorld();

  test('is sent at once, and again after each change of the session, without personal data', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    const events = await listen(world, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    world.payor(sessionId).completes();
    await heard(events, 'fragment', 'The payor has done their part');
    expect(JSON.stringify(events)).not.toMatch(/Tremblay|example\.com/);
    await heard(events, 'beat');
  });

  test('is not sent again while nothing changes', async () => {
    const { session } = await world.sessions.open(
      world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    const events = await listen(world, session.key);
    await heard(events, 'fragment');
    await until(
      now(() => events.filter(({ event }) => event === 'beat').length),
      (beats) => beats >= 2,
    );
    // On a busy machine, the Temporal server or the worker may seem lost for a moment, and the page then shows that.
    const shown = events.filter(({ event }) => event === 'fragment').map(({ data }) => data);
    const repeated = shown.filter((data, index) => data === shown[index - 1]);
    expect(repeated).toEqual([]);
    await session.cancelAndWait();
  });

  test('shows the second session of a key whose first session was never created', async () => {
    const input = world.input(overTheLimit());
    const rejected = await world.sessions.start(input);
    await rejected.result().catch(() => undefined);
    const events = await listen(world, rejected.key);
    await heard(events, 'fragment', 'SERVICE_REQUEST_REJECTED');
    const { session } = await world.sessions.open({ ...input, request: leftOpen() });
    const { data } = (await heard(events, 'fragment', 'The payor can pay')) ?? {};
    expect(plain(data ?? '')).not.toContain('SERVICE_REQUEST_REJECTED');
    await session.cancelAndWait();
  });

  test('shows money that comes back long after the session’s end', async () => {
    const session = await world.sessions.start(world.input(completing()));
    await session.result();
    const { client, sessions, taskQueue } = world;
    const { runId: firstRunId } = await client.workflow.getHandle(session.workflowId).describe();
    let facts: readonly ClaimFact[] = judgeClaim([], { ...CLAIM, firstRunId }).add;
    const entriesOf = () =>
      Promise.resolve(facts.map((fact, index) => ({ number: index + 1, recordedAt: CLAIM.at, ...fact })));
    const ledger = { entriesOf, webhookDeliveries: NO_WEBHOOKS } as unknown as ConsoleLedger;
    const events = await listen({ client, sessions, taskQueue, ledger }, session.key);
    await heard(events, 'fragment', 'The payor has done their part');
    const returned = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: 'NSF' } as const;
    facts = [...facts, { claim: 1, fact: returned }];
    await heard(events, 'fragment', 'Money returned');
  });
});
