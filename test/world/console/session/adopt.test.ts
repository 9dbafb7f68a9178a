import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { SessionPolicy } from '../../../../src';
import { park } from '../../../support/park';
import { eft, geft, leftOpen } from '../../../support/requests';
import { until } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';
import {
  consoleOf,
  formAt,
  hiddenIn,
  look,
  pathOf,
  plain,
  send,
} from '../../../support/console/session-page';

// To adopt a session: the create request of a key was lost, and an operator names the session that the request opened. The
// first form asks for the id of that session. The second form shows the payment service’s data, and asks for the reason.

const world = useWorld();

/** Parks a session by a lost create request. Returns the id of the lost session as `lost`, and the form of the adopt page. */
async function adopting(request = leftOpen(), policy: SessionPolicy = {}) {
  const { app, lines } = consoleOf(world);
  const { session, lost } = await park(world, request, policy);
  const path = pathOf(session.key, '/adopt');
  const form = await formAt(app, path);
  /** Sends the first form with an id, and returns the page with the second form. */
  const preview = (sessionId: string) => send(app, `${path}/preview`, { ...form, sessionId });
  return { app, lines, session, lost, path, form, preview };
}

describe('the first form for adopting a session', () => {
  test('asks only for the id, and says that nothing is decided yet', async () => {
    const { app, session, path } = await adopting();
    const { text, body } = await look(app, path);
    expect(text).toContain('Nothing is decided yet');
    expect(body).toContain(`action="${path}/preview"`);
    expect(body).not.toContain('name="reason"');
    await session.resolveCreate({ abandon: true });
  });

  test('is shown again with its input if the id is invalid', async () => {
    const { session, preview } = await adopting();
    const again = await preview('x');
    expect(again.statusCode).toBe(400);
    expect(again.text).toContain('must be a UUID');
    expect(again.body).toContain('value="x"');
    await session.resolveCreate({ abandon: true });
  });
});

describe('the second form for adopting a session', () => {
  test('refuses a session that another key follows, and names that key', async () => {
    const { session, preview } = await adopting();
    const other = await world.sessions.open(world.input(leftOpen()));
    await until(
      async () => (await session.previewAdopt(other.sessionId)).refusal?.followedBy,
      (key) => key === other.session.key,
    );
    const { text } = await preview(other.sessionId);
    expect(text).toContain('It cannot be adopted');
    expect(text).toContain(other.session.key);
    await other.session.cancelAndWait();
    await session.resolveCreate({ abandon: true });
  });

  test('shows the payment service’s data, and adopts the session if a reason is given', async () => {
    const { app, lines, session, lost, path, preview } = await adopting();
    const before = await session.state();
    const { statusCode, text, body } = await preview(lost);
    expect(statusCode).toBe(200);
    expect(text).toContain('It can be adopted');
    expect(text).toContain('Amount $25.00 CAD $25.00 CAD Matches');
    expect(text).toContain('Kind EFT EFT Matches');
    expect(text).toContain('Reference sandbox-stays-initiated sandbox-stays-initiated Matches');
    expect(text).toContain('Initiated EFT0101');
    expect(await session.state()).toEqual(before);
    expect(lines).toContainEqual(expect.stringMatching(/Robin operator preview \S+ adoptable$/));
    expect(hiddenIn(body)).toMatchObject({ sessionId: lost });
    const { location } = await send(app, path, { ...hiddenIn(body), reason: 'same time' });
    expect((await look(app, String(location))).text).toContain('Adopted: the session is now followed');
    expect((await session.state()).decisions).toMatchObject([{ decision: 'adopt', reason: 'same time' }]);
    await session.cancelAndWait();
  });

  test('marks differences to the request in both languages, and then offers only another preview', async () => {
    const { app, lines, session, path, form, preview } = await adopting(eft('order-7'));
    const other = await world.sessions.open(world.input({ ...leftOpen(geft), amount: 31 }));
    const { text, body } = await preview(other.sessionId);
    expect(text).toContain('It cannot be adopted');
    expect(text).toContain('Amount $25.00 CAD $31.00 CAD Differs');
    expect(text).toContain('Kind EFT Guaranteed EFT Differs');
    expect(text).toContain('Reference order-7 •••••• Differs');
    expect(body).not.toContain('name="reason"');
    expect(lines).toContainEqual(expect.stringMatching(/preview \S+ SESSION_MISMATCH$/));
    const french = await app.inject({
      method: 'POST',
      url: `${path}/preview`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'fr' },
      payload: new URLSearchParams({ ...form, sessionId: other.sessionId }).toString(),
    });
    expect(plain(french.body)).toContain('Référence order-7 •••••• Diffère');
    await other.session.cancelAndWait();
    await session.resolveCreate({ abandon: true });
  });

  test('says if the references match, and masks a reference that the session’s page masks', async () => {
    const { session, lost, preview } = await adopting(leftOpen(), { indexReference: false });
    const own = await preview(lost);
    expect(own.text).toContain('It can be adopted');
    expect(own.text).toContain('Reference •••••• •••••• Matches');
    const other = await world.sessions.open(world.input(geft('Avery Tremblay, hardship')));
    const { text, body } = await preview(other.sessionId);
    expect(text).toContain('Reference •••••• •••••• Differs');
    expect(own.body + body).not.toMatch(/sandbox-stays-initiated|Avery/);
    await other.session.cancelAndWait();
    await session.resolveCreate({ abandon: true });
  });

  test('reports an id that the payment service does not know, and a session that waits for no decision', async () => {
    const { session, preview } = await adopting();
    expect((await preview(randomUUID())).text).toContain(
      'The payment service does not know the session (404).',
    );
    await session.resolveCreate({ abandon: true });
    const late = await preview(randomUUID());
    expect(late.text).toContain('The lookup failed');
    expect(late.text).toContain('INVALID_INPUT');
  });

  test('warns in both languages that the payment service does not report if an EFT is guaranteed', async () => {
    const { app, session, lost, path, form } = await adopting();
    const { type, direction, amount } = leftOpen();
    const body = JSON.stringify({ status: 'Initiated', type, direction, amount });
    const answer = { kind: 'status', status: 200, body, contentType: 'application/json' } as const;
    world.sandbox.failNext('details', answer, 2);
    const lookIn = async (language: string) => {
      const { body: page } = await app.inject({
        method: 'POST',
        url: `${path}/preview`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
        payload: new URLSearchParams({ ...form, sessionId: lost }).toString(),
      });
      return plain(page);
    };
    const english = await lookIn('en');
    expect(english).toContain('It can be adopted');
    expect(english).toContain('The payment service does not say whether this EFT is guaranteed');
    expect(english).toContain('Kind EFT EFT, guaranteed or not Not compared');
    expect(english).toContain('Reference sandbox-stays-initiated Not given Not compared');
    const french = await lookIn('fr');
    expect(french).toContain('Le service de paiement ne dit pas si ce TEF est garanti');
    expect(french).toContain('Non comparé');
    await session.resolveCreate({ abandon: true });
  });

  test('is shown again if the reason is missing', async () => {
    const { app, session, lost, path, preview } = await adopting();
    const again = await send(app, path, { ...hiddenIn((await preview(lost)).body), reason: ' ' });
    expect(again.statusCode).toBe(400);
    expect(again.text).toContain('Give a reason');
    expect(again.text).toContain('It can be adopted');
    expect((await session.state()).decisions).toEqual([]);
    await session.resolveCreate({ abandon: true });
  });

  test('is refused to a viewer', async () => {
    const { session, path, form, lost } = await adopting();
    const viewers = consoleOf(world, 'viewer').app;
    expect((await send(viewers, `${path}/preview`, { ...form, sessionId: lost })).statusCode).toBe(403);
    const { headers } = await look(viewers, `${path}/preview`);
    expect(headers.location).toBe(path);
    await session.resolveCreate({ abandon: true });
  });

  test('runs no code from a reference', async () => {
    const markup = '<script>alert(1)</script>';
    const { session, lost, preview } = await adopting(geft(markup));
    const { text, body } = await preview(lost);
    expect(text).toContain(`Reference ${markup} ${markup} Matches`);
    expect(body).not.toContain(markup);
    await session.resolveCreate({ abandon: true });
  });
});
