import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../src';
import { HINT_SPACING_MS } from '../../../worker/hinted-refreshes';
import { ownPort } from '../../support/own-port';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { otherWorkers } from '../../support/worlds/other-workers';
import { use } from '../../support/worlds/use';
import { createWorld } from '../../support/worlds/world';

// A hint is a request from the payment service’s webhooks to a worker: “these sessions have changed”. The worker then polls.

const SECRET = 'a-secret-of-the-shop';
/** A policy whose next poll comes after an hour: no poll is due while a test runs. */
const SLOW: SessionPolicy = { fastestPoll: '1h', slowestPoll: '1h' };

let url: string;
const world = use(
  async () => {
    const port = await ownPort();
    url = `http://127.0.0.1:${port}/hints`;
    return createWorld({
      hints: { port, secret: SECRET },
      sandbox: { hints: { url, secret: SECRET } },
    });
  },
  (made) => made.close(),
);

/** Opens a session that is polled only after a hint. */
async function open() {
  const session = await world.sessions.start(world.input(leftOpen(), SLOW));
  const { sessionId } = await session.opened();
  return { session, sessionId };
}

const send = (body: string, headers: Record<string, string> = { authorization: `Bearer ${SECRET}` }) =>
  fetch(url, { method: 'POST', body, headers });

const pollsOf = (sessionId: string): number =>
  world.sandbox.calls.filter((call) => call.route === 'details' && call.sessionId === sessionId).length;

const polled = (sessionId: string) =>
  until(
    () => Promise.resolve(pollsOf(sessionId)),
    (polls) => polls > 0,
  );

// Contract rule A79 (docs/contract.md): hints.
describe('A79 hints', () => {
  test('make a worker poll sessions at once, also if another worker received the hint', async () => {
    const others = otherWorkers(world);
    await others.start({ default: world.account });
    const opened = await Promise.all(Array.from({ length: 5 }, () => open()));
    for (const { sessionId } of opened) world.payor(sessionId).completes();
    for (const { session } of opened) expect(await session.result()).toMatchObject({ paid: true });
    await others.stop();
  });

  test('only cause a poll: a state in the hint is not believed', async () => {
    const { session, sessionId } = await open();
    await send(JSON.stringify({ sessionId, status: 'Completed', statusDetails: 'EFT0301', paid: true }));
    await polled(sessionId);
    expect(await session.state()).toMatchObject({ status: 'Initiated', paid: false });
    await session.cancel();
  });

  test('cause a limited number of polls if very many arrive', async () => {
    const began = performance.now();
    const { session, sessionId } = await open();
    const another = `${sessionId.slice(0, 8)}${randomUUID().slice(8)}`;
    const bodies = [sessionId, another, randomUUID(), 'garbage', '{"sessionId":['];
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) => send(bodies[index % bodies.length] ?? '')),
    );
    expect(answers.map(({ status }) => status).filter((status) => ![202, 429].includes(status))).toEqual([]);
    await polled(sessionId);
    const most = 1 + Math.ceil((performance.now() - began) / HINT_SPACING_MS);
    expect(pollsOf(sessionId)).toBeLessThanOrEqual(most);
    expect([pollsOf(another), (await session.state()).status]).toEqual([0, 'Initiated']);
    await session.cancel();
  });

  test('cause no poll of an ended session, and none without the secret', async () => {
    const [ended, unasked, last] = [await open(), await open(), await open()];
    await ended.session.cancelAndWait();
    await ended.session.result();
    const before = pollsOf(ended.sessionId);
    expect((await send(unasked.sessionId, {})).status).toBe(401);
    await send(ended.sessionId);
    await send(last.sessionId);
    await polled(last.sessionId);
    expect([pollsOf(ended.sessionId), pollsOf(unasked.sessionId)]).toEqual([before, 0]);
    for (const { session } of [unasked, last]) await session.cancel();
  });
});
