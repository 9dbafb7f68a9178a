import { describe, expect, test } from '@jest/globals';
import { bearer, eft, eTransfer, expectProblem, JSON_TYPE } from '../../support/sandbox/requests-to-sandbox';
import { startControl } from '../../support/sandbox/control/start-control';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// The numbers in the test names, such as A56, are rules of the contract (docs/contract.md).

describe('the control port', () => {
  test('A56 plays the payor', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft().without('amount'));
    const events = `/sessions/${sessionId}/events`;
    expectProblem(await control.post(events, { type: 'completed' }), 409);
    expect((await control.post(events, { type: 'amountEntered', amount: 30 })).body['amount']).toBe(30);
    expect((await control.post(events, { type: 'bankValidated' })).body['statusDetails']).toBe('EFT0302');
    expect((await control.post(events, { type: 'padSigned' })).body['statusDetails']).toBe('EFT0301');
    expectProblem(await control.post(events, { type: 'expired' }), 409);
    expect((await control.get(`/sessions/${sessionId}`)).body).toMatchObject({ amount: 30, step: 'Ended' });
  });

  test('plays a choice of the session page, and first enters an amount if the session has none', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft().without('amount'));
    const play = (choice: string) => control.post(`/sessions/${sessionId}/play`, { choice });
    expectProblem(await play('padSigned'), 409);
    expect(Object.keys(expectProblem(await play('paid'), 400))).toEqual(['choice']);
    expect((await play('completed')).body).toMatchObject({ statusDetails: 'EFT0301', amount: 25 });
    expectProblem(await play('cancelled'), 409);
    expectProblem(await control.post('/sessions/none/play', { choice: 'completed' }), 404);
  });

  test('enters no amount if the choice is refused', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eTransfer().without('amount'));
    expectProblem(await control.post(`/sessions/${sessionId}/play`, { choice: 'bankValidated' }), 409);
    expect((await control.get(`/sessions/${sessionId}`)).body).toMatchObject({
      amount: null,
      step: 'Created',
    });
  });

  test('A36 shows account numbers only masked', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft());
    const account = { accountNumber: '1234567', transitNumber: '00011', institutionCode: '002' };
    await control.post(`/sessions/${sessionId}/events`, { type: 'accountChosen', account });
    const answer = await control.get(`/sessions/${sessionId}`);
    expect(answer.text).toContain('****4567');
    expect(answer.text).not.toContain('1234567');
  });

  test('refuses a misspelt field of an account, and leaves the session as it was', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft());
    const account = {
      accountNumber: '1234567',
      transitNumber: '00011',
      institutionCode: '002',
      transit: '1',
    };
    const answer = await control.post(`/sessions/${sessionId}/events`, { type: 'accountChosen', account });
    expect(Object.keys(expectProblem(answer, 400))).toEqual(['account']);
    expect((await control.get(`/sessions/${sessionId}`)).body['step']).toBe('Created');
  });

  test('A53 refuses an unknown session and an unknown event', async () => {
    const control = await startControl();
    expectProblem(await control.get('/sessions/none'), 404);
    expectProblem(await control.post('/sessions/none/events', { type: 'completed' }), 404);
    const errors = expectProblem(await control.post('/sessions/none/events', { type: 'paid' }), 400);
    expect(Object.keys(errors)).toEqual(['type']);
  });

  test('lists the sandbox’s calls, all or those of one session, without tokens, secrets and payor names', async () => {
    const control = await startControl();
    const token = await control.service.token();
    const sessionId = await control.service.open(eft());
    const { text, body } = await control.get('/calls');
    expect(body['calls']).toEqual(control.service.sandbox.calls);
    for (const secret of [token, DEFAULT_CLIENT.clientSecret, 'Tremblay']) expect(text).not.toContain(secret);
    const ofOne = await control.get(`/calls?sessionId=${sessionId}`);
    expect(ofOne.body['calls']).toEqual([expect.objectContaining({ route: 'create', sessionId })]);
  });

  test('A4 revokes tokens', async () => {
    const control = await startControl();
    const headers = { ...bearer(await control.service.token()), ...JSON_TYPE };
    expect((await control.delete('/tokens')).status).toBe(204);
    expectProblem(await control.service.create(eft(), { headers }), 401);
  });
});
