import { describe, expect, test } from '@jest/globals';
import { statSync } from 'node:fs';
import { manualClock, type SandboxOptions } from '../../../sandbox';
import { HttpPayor, LOGIN, SIGNED } from '../../support/sandbox/flow/payor';
import {
  bearer,
  eft,
  eTransfer,
  startService,
  type Service,
} from '../../support/sandbox/requests-to-sandbox';
import { useDataFolder } from '../../support/sandbox/data/use-data-folder';

// The numbers in the test names, such as A10, are rules of the contract (docs/contract.md).

const dataDir = useDataFolder();

const clock = manualClock();

const start = (options: SandboxOptions = {}) => startService({ clock, dataDir: dataDir(), ...options });

/** Closes the sandbox, and starts another one with the same folder, as another process would. */
async function restart(service: Service, options: SandboxOptions = {}): Promise<Service> {
  await service.sandbox.close();
  return start(options);
}

const linked = eTransfer().with('options.notificationPreferences.sendNetworkLink', true);

describe('a sandbox with a data folder', () => {
  test('A10, A50 still has all sessions after a restart, unchanged', async () => {
    const first = await start();
    const sessionIds = [await first.open(eft('order-1')), await first.open(linked), await first.open(eft())];
    await first.cancel(sessionIds[2] ?? '');
    const details = (service: Service) =>
      Promise.all(sessionIds.map(async (sessionId) => (await service.details(sessionId)).text));
    const before = await details(first);
    const second = await restart(first);
    expect(await details(second)).toEqual(before);
    expect((await second.cancel(sessionIds[2] ?? '')).status).toBe(400);
  });

  test('A3 accepts tokens from before a restart until they expire, but not revoked tokens', async () => {
    const first = await start();
    const revoked = await first.token();
    first.sandbox.revokeTokens();
    const sessionId = await first.open(eft());
    const token = await first.token();
    const path = `/api/v2/sessions/${sessionId}/details`;
    const second = await restart(first);
    expect((await second.send(path, { headers: bearer(token) })).status).toBe(200);
    expect((await second.send(path, { headers: bearer(revoked) })).status).toBe(401);
    clock.advance(599_000);
    const third = await restart(second);
    expect((await third.send(path, { headers: bearer(token) })).status).toBe(401);
  });

  test('A11, A72 still calls a CREDIT a deposit in its mail after a restart', async () => {
    const first = await start();
    await first.open(linked.with('direction', 'CREDIT'));
    const { text } = (await restart(first)).sandbox.outbox[0] ?? {};
    expect(text).toContain('You have been sent a deposit of ');
  });

  test('A72 has the mails from before a restart, in order, and adds new ones', async () => {
    const first = await start();
    for (let count = 0; count < 12; count += 1) await first.open(linked);
    const kept = first.sandbox.outbox.map(({ sessionId }) => sessionId);
    const second = await restart(first);
    const sessionId = await second.open(linked);
    const third = await restart(second);
    expect(third.sandbox.outbox.map((mail) => mail.sessionId)).toEqual([...kept, sessionId]);
    expect(third.sandbox.outbox[0]?.link).toContain(third.sandbox.url);
  });

  test('A60 accepts a form of the hosted page from before a restart, but only once', async () => {
    const first = await start();
    const sessionId = await first.open(eft());
    const payor = await new HttpPayor(first, sessionId).goTo('login');
    const second = await restart(first);
    const form = { token: payor.token, action: 'continue', ...LOGIN };
    const later = new HttpPayor(second, sessionId);
    expect((await later.post(form)).status).toBe(303);
    const third = await restart(second);
    const last = new HttpPayor(third, sessionId);
    expect((await last.post(form)).status).toBe(409);
    await last.open();
    expect(last.heading).toBe('Choose an account');
    await last.submit({ account: 'chequing' });
    await last.submit({});
    await last.submit(SIGNED);
    expect(await last.state()).toBe('Completed EFT0301 25');
  });

  test('A63 continues a scenario after a restart, with the steps that were due while the sandbox was closed', async () => {
    const first = await start();
    const sessionId = await first.open(eft('sandbox-completes'));
    await first.sandbox.close();
    clock.advance(60_000);
    const second = await start();
    expect((await second.status(sessionId)).body['statusDetails']).toBe('EFT0301');
    expect(second.sandbox.outbox.map(({ kind }) => kind)).toEqual(['completed']);
    const third = await restart(second);
    expect(third.sandbox.outbox.length).toBe(1);
  });

  test('drops ended sessions, tokens and mails from disk when it drops them from memory', async () => {
    const bounds = { maxSessions: 2, maxMails: 1, maxTokensPerClient: 1 };
    const first = await start(bounds);
    const [gone, ended] = [await first.open(linked), await first.open(linked)];
    await first.cancel(gone);
    await first.cancel(ended);
    const open = await first.open(linked);
    const second = await restart(first);
    const statuses = await Promise.all([gone, ended, open].map((sessionId) => second.status(sessionId)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 200, 200]);
    expect(second.sandbox.outbox.map(({ sessionId }) => sessionId)).toEqual([open]);
    const third = await restart(second, { maxSessions: 1 });
    expect((await third.status(ended)).status).toBe(404);
    expect((await third.status(open)).status).toBe(200);
  });

  test('keeps a change that the program makes with act() while the sandbox is closed', async () => {
    const first = await start();
    const sessionId = await first.open(eft());
    await first.sandbox.close();
    first.sandbox.act(sessionId, 'loginFailed');
    await first.sandbox.listen();
    const second = await restart(first);
    expect((await second.status(sessionId)).body['statusDetails']).toBe('EFT0401');
  });

  test('makes its folder inaccessible to other users', async () => {
    await start();
    expect(statSync(dataDir()).mode & 0o077).toBe(0);
  });
});
