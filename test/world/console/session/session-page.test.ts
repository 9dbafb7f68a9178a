import { describe, expect, test } from '@jest/globals';
import { judgeClaim } from '../../../../ledger/judge-claim';
import type { LedgerFact } from '../../../../ledger';
import type { ConsoleLedger } from '../../../../console/options';
import type { ReadableLedger } from '../../../../src/sessions';
import { PaysessionError } from '../../../../src/errors';
import { CLAIM } from '../../../support/ledger/claim';
import { asking, completing, eft, geft, leftOpen, overTheLimit } from '../../../support/requests';
import { park } from '../../../support/park';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import { consoleOf, look, NO_WEBHOOKS, pathOf } from '../../../support/console/session-page';

const world = useWorld();

const RETURNED: LedgerFact = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: 'NSF' };

const MARKUP = `"'\`><script>alert(1)</script><img src=x onerror=alert(1)>`;

describe('the page of a session', () => {
  test('shows an open session’s state, data, actions and poll interval, and writes the view to the log', async () => {
    const { app, lines } = consoleOf(world);
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const { text, body } = await look(app, pathOf(session.key));
    expect(text).toContain('Open Initiated EFT0101 The payor can pay but has not done so yet.');
    expect(text).toContain(
      'Amount $25.00 CAD Direction Money in Kind EFT Reference sandbox-stays-initiated Account default Paid No',
    );
    expect(text).toContain('Nothing to do.');
    expect(text).toMatch(/polled about every \d+ s/);
    expect(body).toContain(`href="${pathOf(session.key, '/cancel')}"`);
    expect(body).toContain(`/workflows/payment-session%2F${session.key}`);
    expect(text).not.toMatch(/Avery|Tremblay|example\.com/);
    expect(lines).toEqual([expect.stringMatching(/Z Robin operator look test-\S+ shown$/)]);
    await session.cancelAndWait();
  });

  test('is in French for readers of French', async () => {
    const { app } = consoleOf(world);
    const { session } = await world.sessions.open(world.input(leftOpen()));
    const { text } = await look(app, pathOf(session.key), 'fr');
    expect(text).toContain('Le payeur peut payer et ne l’a pas encore fait.');
    expect(text).toContain('Session créée; le payeur n’a pas encore commencé.');
    await session.cancelAndWait();
  });

  test('has no buttons for a viewer', async () => {
    const { app } = consoleOf(world, 'viewer');
    const { session } = await park(world);
    const { body, text } = await look(app, pathOf(session.key));
    expect(text).toContain('the session is waiting for a decision');
    expect(body).not.toMatch(/\/(adopt|retry|abandon|cancel|reveal)"/);
    expect((await look(app, pathOf(session.key, '/abandon'))).statusCode).toBe(403);
    await session.resolveCreate({ abandon: true });
  });

  test('explains what to do about a parked session, with a button for each decision', async () => {
    const { app } = consoleOf(world);
    const { session } = await park(world);
    const { body, text } = await look(app, pathOf(session.key));
    expect(text).toContain('Look for the session in the payment service’s own records');
    expect(text).not.toContain('paysession resolve');
    for (const name of ['adopt', 'retry', 'abandon'])
      expect(body).toContain(`href="${pathOf(session.key, `/${name}`)}"`);
    await session.resolveCreate({ abandon: true });
  });

  test('shows how a session ended, who cancelled it, and why it failed', async () => {
    const { app } = consoleOf(world);
    const paid = await world.sessions.start(world.input(completing()));
    await paid.result();
    expect((await look(app, pathOf(paid.key))).text).toContain(
      'Paid Completed EFT0301 The payor has done their part',
    );
    const { session: cancelled } = await world.sessions.open(world.input(leftOpen()));
    await cancelled.cancelAndWait({ by: 'Sam', reason: 'ordered twice' });
    const once = (await look(app, pathOf(cancelled.key))).text;
    expect(once).toContain('Status Cancelled EFT0501 The session is cancelled.');
    expect(once).toContain('Cancel by Sam: The payment service has cancelled the session.');
    expect(once).not.toContain('Cancellation requested');
    const refused = await world.sessions.start(world.input(overTheLimit()));
    await refused.result().catch(() => undefined);
    const { text, body } = await look(app, pathOf(refused.key), 'fr');
    expect(text).toContain('SERVICE_REQUEST_REJECTED – Le service de paiement refuse la demande');
    expect(body).not.toContain('/cancel"');
  });

  test('shows the money’s movements from the ledger, or a message if the ledger does not answer', async () => {
    const session = await world.sessions.start(world.input(completing()));
    await session.result();
    const { runId: firstRunId } = await world.client.workflow.getHandle(session.workflowId).describe();
    const facts = [...judgeClaim([], { ...CLAIM, firstRunId }).add, { claim: 1, fact: RETURNED }];
    const entries = facts.map((fact, index) => ({ number: index + 1, recordedAt: CLAIM.at, ...fact }));
    const { client, sessions, taskQueue } = world;
    const seenWith = async (entriesOf: ReadableLedger['entriesOf']) => {
      const { app } = consoleOf({
        client,
        sessions,
        taskQueue,
        ledger: { entriesOf, webhookDeliveries: NO_WEBHOOKS } as unknown as ConsoleLedger,
      });
      return (await look(app, pathOf(session.key))).text;
    };
    const told = await seenWith(() => Promise.resolve(entries));
    expect(told).toContain('Money returned Completed EFT0301');
    expect(told).toContain('Came back $25.00 CAD, 2026-06-01 NSF – Not sufficient funds');
    expect(told).toContain('Do not deliver yet. Collect the amount once more within thirty days');
    const away = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'it is away'));
    for (const entriesOf of [away, () => new Promise<never>(() => undefined)]) {
      const text = await seenWith(entriesOf);
      expect(text).toContain('Paid Completed EFT0301');
      expect(text).toContain('not known at the moment: the ledger cannot be read (LEDGER_UNAVAILABLE)');
      expect(text).not.toContain('Came back');
    }
  });

  test('answers 404 for a key that no session has', async () => {
    const { app } = consoleOf(world);
    expect((await look(app, pathOf('no-such-session'))).statusCode).toBe(404);
  });
});

describe('HTML markup in a session', () => {
  test('is shown as text, in each field of the request and in a long key with slashes', async () => {
    const { app } = consoleOf(world);
    const key = `${MARKUP}/a//b?c#d%2F../é"`.padEnd(200, '/');
    const request = {
      ...asking(geft(MARKUP), {
        redirectPreferences: {
          mode: 'RedirectUri',
          urlSuccess: `https://shop.example/?"><script>x</script>`,
        },
      }),
      payor: {
        ...geft().payor,
        firstName: MARKUP,
        lastName: MARKUP,
        middleName: MARKUP,
        occupation: MARKUP,
        address: { ...geft().payor.address, addressLine1: MARKUP, city: MARKUP, unit: MARKUP } as never,
      },
      accountLabel: MARKUP,
      [MARKUP]: MARKUP,
    };
    const session = await world.sessions.start({ ...world.input(request), key });
    await stateOf(session, ({ phase }) => phase !== 'creating');
    for (const below of ['', '/cancel', '/refresh', '/reveal', '/adopt']) {
      const { statusCode, body, text } = await look(app, pathOf(key, below));
      expect(statusCode).toBe(200);
      expect(body).not.toMatch(/<script>|<img/);
      expect(text).toContain(key.slice(0, 40));
    }
    const { body } = await look(app, pathOf(key));
    expect(body).toContain(`href="${pathOf(key, '/cancel').replaceAll("'", '&#39;')}"`);
    await session.cancelAndWait();
  });
});

test('the page masks a session’s reference if the policy keeps the reference out of Temporal’s index', async () => {
  const { app } = consoleOf(world);
  const { session } = await world.sessions.open(
    world.input(eft('sandbox-stays-initiated-avery'), { indexReference: false }),
  );
  expect((await look(app, pathOf(session.key))).body).not.toContain('stays-initiated-avery');
  await session.cancelAndWait();
});
