import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { park } from '../../../support/park';
import { leftOpen, leftUnsigned } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { act, consoleOf, formAt, hiddenIn, look, pathOf, send } from '../../../support/console/session-page';

const world = useWorld();
/** A second world. Repeatedly failing calls pause all calls of an account, so tests with failing calls use this world. */
const otherWorld = useWorld();

const REASON = { reason: 'the customer called' };

/** Opens a session, and returns it with its key. */
async function open() {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  return { session, key: session.key };
}

const creates = ({ sandbox } = world) => sandbox.calls.filter(({ route }) => route === 'create').length;

describe('a confirmation', () => {
  test.each([
    ['refresh', 'The payment service is polled once, immediately.'],
    ['cancel', 'The payor will no longer be able to pay. If they pay first, the payment stands.'],
    ['reveal', 'The session’s record will show that you viewed it, when and why.'],
  ])('of %s names the session, the amount and the consequence', async (name, consequence) => {
    const { app } = consoleOf(world);
    const { session, key } = await open();
    const { text, body } = await look(app, pathOf(key, `/${name}`));
    expect(text).toContain(`Session ${key}`);
    expect(text).toContain('$25.00 CAD');
    expect(text).toContain(consequence);
    expect(body).toMatch(/<textarea[^>]*required/);
    await session.cancelAndWait();
  });

  test('of a cancel names a different consequence if the session waits for a decision or a signature', async () => {
    const { app } = consoleOf(world);
    const parked = await park(world);
    expect((await look(app, pathOf(parked.session.key, '/cancel'))).text).toContain(
      'The cancellation waits until',
    );
    await parked.session.resolveCreate({ abandon: true });
    const unsigned = await world.sessions.start(world.input(leftUnsigned(), { padSignatureDeadline: '1h' }));
    await stateOf(unsigned, ({ code }) => code === 'EFT0302');
    expect((await look(app, pathOf(unsigned.key, '/cancel'))).text).toContain(
      'refuses to cancel at this point',
    );
    await world.client.workflow.getHandle(unsigned.workflowId).terminate();
    expect((await look(app, pathOf(unsigned.key))).text).toContain('Terminated');
  });

  test('without a reason is shown again', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const path = pathOf(session.key, '/retry');
    const form = await formAt(app, path);
    const again = await send(app, path, { ...form, reason: '  ' });
    expect(again.statusCode).toBe(400);
    expect(again.text).toContain('Give a reason');
    expect(again.body).toContain(`value="${String(form['once'])}"`);
    expect((await session.state()).decisions).toEqual([]);
    await session.resolveCreate({ abandon: true });
  });
});

describe('a cancel', () => {
  test('cancels the session, shows the outcome, writes a log line, and records the operator and the reason', async () => {
    const { app, lines } = consoleOf(world);
    const { session, key } = await open();
    const { text } = await act(app, pathOf(key, '/cancel'), REASON);
    expect(text).toContain('Cancellation: The payment service has cancelled the session.');
    expect((await session.state()).decisions).toMatchObject([
      { decision: 'cancel', by: 'Robin', reason: 'the customer called', result: 'cancelled' },
    ]);
    expect((await look(app, pathOf(key))).text).toContain(
      'Cancel by Robin: The payment service has cancelled',
    );
    expect(lines).toContainEqual(expect.stringContaining(`Robin operator cancel ${key} cancelled`));
    expect(lines.join('\n')).not.toContain('the customer called');
  });

  test('that comes after the payment shows that the payment stands, in both languages', async () => {
    const { app } = consoleOf(world);
    const outcomes = { en: 'the payment stands', fr: 'le paiement tient' } as const;
    for (const language of ['en', 'fr'] as const) {
      const { session, sessionId } = await world.sessions.open(
        world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
      );
      world.payor(sessionId).completes();
      const { text } = await act(app, pathOf(session.key, '/cancel'), REASON, language);
      expect(text).toContain(outcomes[language]);
    }
  });

  test('of a session that waits for a decision is recorded, and the page shows that', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const { text } = await act(app, pathOf(session.key, '/cancel'), REASON);
    expect(text).toContain('The cancellation is recorded');
    await session.resolveCreate({ abandon: true });
  });
});

describe('a refresh', () => {
  test('polls the payment service at once', async () => {
    const { app } = consoleOf(world);
    const { session, sessionId } = await world.sessions.open(
      world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    world.payor(sessionId).completes();
    const { text } = await act(app, pathOf(session.key, '/refresh'), REASON);
    expect(text).toContain('Refreshed.');
    expect(text).toContain('The payor has done their part');
    expect((await session.state()).decisions).toMatchObject([{ decision: 'refresh', by: 'Robin' }]);
  });

  test('that fails is shown with its error code, and logged', async () => {
    const { app, lines } = consoleOf(otherWorld);
    const { session } = await otherWorld.sessions.open(
      otherWorld.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' }),
    );
    const { key } = session;
    otherWorld.sandbox.failNext('details', { kind: 'status', status: 503 }, 1_000);
    const { text } = await act(app, pathOf(key, '/refresh'), REASON);
    otherWorld.sandbox.clearFaults();
    expect(text).not.toContain('Refreshed.');
    expect(text).toContain('SERVICE_FAILED – ');
    expect(lines).toContainEqual(expect.stringContaining(`refresh ${key} SERVICE_FAILED`));
    await session.cancelAndWait();
  });
});

/** Sends the form that adopts a session without a preview before, as an old browser tab may. */
const adopt = (app: FastifyInstance, key: string, sessionId: string) =>
  act(app, pathOf(key, '/adopt'), { ...REASON, once: randomUUID(), sessionId });

describe('a parked session', () => {
  test('is followed again once an operator adopts the session that the create request opened', async () => {
    const { app } = consoleOf(world);
    const { session, lost } = await park(world);
    const { text } = await adopt(app, session.key, lost);
    expect(text).toContain('Adopted: the session is now followed.');
    expect(await session.state()).toMatchObject({ phase: 'open', sessionId: lost });
    await session.cancelAndWait();
  });

  test('stays parked if the payment service does not know the named id, or if the id belongs to another payment', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const unknown = await adopt(app, session.key, '00000000-0000-4000-8000-000000000000');
    expect(unknown.text).toContain('The payment service does not know the session (404).');
    expect(unknown.text).toContain('Nothing was changed: the session is still waiting for a decision.');
    const other = await world.sessions.open(world.input({ ...leftOpen(), amount: 31 }));
    const mismatched = await adopt(app, session.key, other.sessionId);
    expect(mismatched.text).toContain('belongs to a different payment');
    expect((await session.state()).phase).toBe('parked');
    await session.resolveCreate({ abandon: true });
    await other.session.cancelAndWait();
  });

  test('is created again only once if the same form is sent three times', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const path = pathOf(session.key, '/retry');
    const form = { ...(await formAt(app, path)), ...REASON };
    const before = creates();
    const sent = await Promise.all([send(app, path, form), send(app, path, form)]);
    await session.opened();
    const again = await send(app, path, form);
    expect(new Set([...sent, again].map(({ location }) => location)).size).toBe(1);
    const { text } = await look(app, String(again.location));
    expect(text).toContain('The decision to create again was carried out.');
    expect((await session.state()).decisions).toHaveLength(1);
    expect(creates() - before).toBe(1);
    await session.cancelAndWait();
  });

  test('that was cancelled sends no create request if an operator decides to retry', async () => {
    const { app } = consoleOf(otherWorld);
    const { session } = await park(otherWorld);
    const { key } = session;
    const before = creates(otherWorld);
    await act(app, pathOf(key, '/cancel'), REASON);
    const { text } = await act(app, pathOf(key, '/retry'), REASON);
    expect(text).toContain('The decision to create again was carried out.');
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'possiblyCreated' } });
    expect(creates(otherWorld)).toBe(before);
  });

  test('ends if an operator abandons it', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const { text } = await act(app, pathOf(session.key, '/abandon'), REASON);
    expect(text).toContain('The session was abandoned.');
    expect(text).toContain('An operator abandoned the create');
    expect((await session.state()).phase).toBe('ended');
  });

  test.each(['retry', 'abandon', 'adopt'])(
    'refuses the form %s if the form was shown before the create request was sent again',
    async (name) => {
      const { app } = consoleOf(otherWorld);
      const { session, lost } = await park(otherWorld);
      const path = pathOf(session.key, `/${name}`);
      const form = { sessionId: lost, once: randomUUID(), ...(await formAt(app, path)), ...REASON };
      otherWorld.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
      await session.resolveCreate({ retry: true });
      await stateOf(session, ({ parks }) => parks?.length === 2);
      // The page shows a form without a reason again. The new form still belongs to the first lost create request.
      const again = await send(app, path, { ...form, reason: ' ' });
      const { location } = await send(app, path, { ...form, ...hiddenIn(again.body) });
      expect((await look(app, String(location))).text).toContain('INVALID_INPUT');
      expect(await session.state()).toMatchObject({ phase: 'parked', decisions: [{ decision: 'retry' }] });
      await session.resolveCreate({ abandon: true });
    },
  );

  test('refuses a decision if another decision was applied after the form was shown', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const path = pathOf(session.key, '/retry');
    const form = { ...(await formAt(app, path)), ...REASON };
    await session.resolveCreate({ retry: true });
    await session.opened();
    const { location } = await send(app, path, form);
    expect((await look(app, String(location))).text).toContain('INVALID_INPUT');
    await session.cancelAndWait();
  });
});

test.each(['adopt', 'retry'] as const)(
  'the form %s is refused if the session was abandoned after the form was shown',
  async (name) => {
    const { app } = consoleOf(world);
    const { session, lost } = await park(world);
    const path = pathOf(session.key, `/${name}`);
    const form = { sessionId: lost, once: randomUUID(), ...(await formAt(app, path)), ...REASON };
    await session.resolveCreate({ abandon: true });
    const { location } = await send(app, path, form);
    const { text } = await look(app, String(location));
    expect(text).toContain('INVALID_INPUT');
    expect(text).not.toContain('still waiting for a decision');
    await expect(session.resolveCreate({ retry: true })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  },
);

describe('personal data', () => {
  test('is shown to an operator who gives a reason, in one response only; the session records the view', async () => {
    const { app, lines } = consoleOf(world);
    const { session, key } = await open();
    const path = pathOf(key, '/reveal');
    const form = await formAt(app, path);
    const shown = await send(app, path, { ...form, reason: 'asked which email we have' });
    expect(shown.statusCode).toBe(200);
    expect(shown.text).toContain('payor.email avery.tremblay@example.com');
    expect((await session.state()).decisions).toMatchObject([
      { decision: 'reveal', by: 'Robin', reason: 'asked which email we have' },
    ]);
    expect((await look(app, pathOf(key))).text).not.toContain('avery.tremblay');
    expect(lines.join('\n')).toMatch(/Robin operator reveal test-\S+ recorded/);
    expect(lines.join('\n')).not.toMatch(/avery|asked which/);
    expect((await app.inject(path)).body).not.toContain('avery.tremblay');
    await session.cancelAndWait();
  });

  test('of an ended session is shown, and the page says that only the log records the view', async () => {
    const { app, lines } = consoleOf(world);
    const { session, key } = await open();
    await session.cancelAndWait();
    const path = pathOf(key, '/reveal');
    const shown = await send(app, path, { ...(await formAt(app, path)), ...REASON });
    expect(shown.text).toContain('avery.tremblay@example.com');
    expect(shown.text).toContain('only the console’s log records');
    expect(lines).toContainEqual(expect.stringMatching(/reveal \S+ logged$/));
  });
});

test('personal data of a terminated session is shown, and only the log records the view', async () => {
  const { app, lines } = consoleOf(world);
  const { session, key } = await open();
  await world.client.workflow.getHandle(session.workflowId).terminate();
  const path = pathOf(key, '/reveal');
  const shown = await send(app, path, { ...(await formAt(app, path)), ...REASON });
  expect(shown.text).toContain('avery.tremblay@example.com');
  expect(lines).toContainEqual(expect.stringMatching(/reveal \S+ logged$/));
});

describe('the console', () => {
  test('refuses an action by a viewer, with a forged token, or without the form’s id', async () => {
    const { session, key } = await open();
    const path = pathOf(key, '/cancel');
    const operators = consoleOf(world).app;
    const form: Record<string, string> = { ...(await formAt(operators, path)), ...REASON };
    const viewers = consoleOf(world, 'viewer').app;
    expect((await send(viewers, path, form)).statusCode).toBe(403);
    expect((await send(operators, path, { ...form, csrf: 'forged' })).statusCode).toBe(403);
    const { once: _once, ...withoutId } = form;
    expect((await send(operators, path, withoutId)).statusCode).toBe(400);
    expect((await send(operators, path, { ...form, once: `x${'y'.repeat(40)}` })).statusCode).toBe(400);
    expect(await session.state()).toMatchObject({ phase: 'open', decisions: [] });
    await session.cancelAndWait();
  });

  test('shows no result if a link names an action that did not happen', async () => {
    const { app } = consoleOf(world);
    const { session, key } = await open();
    const { text } = await look(app, pathOf(key, '?done=00000000-0000-4000-8000-000000000000'));
    expect(text).not.toContain('Cancellation:');
    await session.cancelAndWait();
  });
});
