import { describe, expect, test } from '@jest/globals';
import { completing, leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { connectByLine } from '../../../support/worlds/line';
import { useWorld } from '../../../support/worlds/use-world';
import { closing, heard, listen, now } from '../../../support/console/session/live-events';
import { consoleOf, look, pathOf, plain } from '../../../support/console/session-page';

describe('the page of a session whose worker is gone', () => {
  const world = useWorld();

  test('shows within five seconds what the Temporal server knows, and says that no worker answers', async () => {
    const { app } = consoleOf(world);
    const ended = await world.sessions.start(world.input(completing()));
    await ended.result();
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    try {
      const beganMs = Date.now();
      const { text, body } = await look(app, pathOf(session.key));
      expect(Date.now() - beganMs).toBeLessThan(5_000);
      expect(text).toContain('No worker answers for this session');
      expect(text).toContain('Not possible without a worker: Refresh.');
      expect(text).toContain('Not possible without a worker: Show personal data.');
      expect(body).not.toMatch(/\/(refresh|reveal)"/);
      expect(body).toContain(`href="${pathOf(session.key, '/cancel')}"`);
      expect(text).toContain('Open Initiated EFT0101');
      expect(text).toContain('Reference sandbox-stays-initiated');
      expect((await look(app, pathOf(ended.key))).text).toContain('The payor has done their part');
    } finally {
      await world.startWorker();
    }
    const mended = await look(app, pathOf(session.key));
    expect(mended.text).not.toContain('No worker answers');
    expect(mended.body).toContain(`href="${pathOf(session.key, '/refresh')}"`);
    await session.cancelAndWait();
  });
});

describe('the open page of a session whose worker is lost', () => {
  const world = useWorld();

  test('says within five seconds that the worker is lost, and recovers by itself', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const events = await listen(world, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    await world.stopWorker();
    const goneAtMs = Date.now();
    const lost = await heard(events, 'workerLost');
    expect((lost?.atMs ?? Infinity) - goneAtMs).toBeLessThan(5_000);
    await heard(events, 'fragment', 'No worker answers');
    await world.startWorker();
    const backAtMs = Date.now();
    await until(
      now(() => events.findLast(({ event }) => event === 'back')),
      (back) => (back?.atMs ?? 0) > backAtMs,
    );
    expect(plain((await heard(events, 'fragment'))?.data ?? '')).toContain('The payor can pay');
    await session.cancelAndWait();
  });
});

describe('the open page of a session whose Temporal server is lost', () => {
  const world = useWorld();

  test('says within five seconds that the server is lost, shows the last known state, and recovers by itself', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const { line, connection, clients } = await connectByLine(world);
    closing.push(
      () => line.cut(),
      () => connection.close(),
    );
    const events = await listen(clients, session.key);
    await heard(events, 'fragment', 'The payor can pay');
    const goneAtMs = Date.now();
    await line.cut();
    const lost = await heard(events, 'temporalLost');
    expect((lost?.atMs ?? Infinity) - goneAtMs).toBeLessThan(5_000);
    const shown = plain((await heard(events, 'fragment', 'The Temporal server does not answer'))?.data ?? '');
    expect(shown).toContain('Last known state:');
    expect(shown).toContain('The payor can pay');
    const { app } = consoleOf(clients);
    const fresh = await look(app, pathOf(session.key));
    expect(fresh.statusCode).toBe(200);
    expect(fresh.text).toContain('The Temporal server does not answer');
    const mendedAtMs = Date.now();
    await line.restore();
    await until(
      now(() => events.findLast(({ event }) => event === 'back')),
      (back) => (back?.atMs ?? 0) > mendedAtMs,
    );
    await session.cancelAndWait();
  });
});
