import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ServiceEvents, ServiceObserver } from '../../../src/service';
import { ServiceClients } from '../../../worker';
import { eft } from '../../support/requests';
import {
  cleanUp,
  created,
  json,
  localService,
  reset,
  SESSION_ID,
  truncate,
  type Behaviour,
} from '../../support/service/local-service';

afterEach(cleanUp);

type Report = { [E in keyof ServiceEvents]: { event: E } & ServiceEvents[E] }[keyof ServiceEvents];

/** Returns an observer that collects everything that the service client reports to it. */
function listening(): { readonly reports: Report[]; readonly observer: ServiceObserver } {
  const reports: Report[] = [];
  const keep =
    <E extends keyof ServiceEvents>(event: E) =>
    (what: ServiceEvents[E]) => {
      reports.push({ event, ...what } as Report);
    };
  const observer = {
    callEnded: keep('callEnded'),
    turnTaken: keep('turnTaken'),
    turnedAway: keep('turnedAway'),
    paused: keep('paused'),
    resumed: keep('resumed'),
    tokenRenewed: keep('tokenRenewed'),
  };
  return { reports, observer };
}

const open: Behaviour = (response) => {
  json(response, 200, { status: 'Initiated', statusDetails: 'EFT0101', amount: 25 });
};

const answering =
  (status: number): Behaviour =>
  (response) => {
    json(response, status, {});
  };

/** Starts a payment service whose details endpoint behaves as `details`. Returns the service with a rate-limited client of the account `shop`. */
async function shop(details: Behaviour, ...observers: readonly ServiceObserver[]) {
  const service = await localService({ '/sessions': created, '/details': details });
  const account = { baseUrl: service.baseUrl, clientId: 'client', clientSecret: 'secret' };
  const clients = new ServiceClients({ shop: account }, { service: { closeTimeoutMs: 100 }, observers });
  return { paced: clients.of('shop'), service };
}

const poll = (paced: Awaited<ReturnType<typeof shop>>['paced']) =>
  paced.sessionDetails(SESSION_ID).catch(() => undefined);

/** Waits for the next millisecond. A pause ends only by the answer to a call that was sent in a later millisecond than the pause began. */
const nextMillisecond = () => sleep(2);

describe('an observer of the service client', () => {
  test('receives the reports of turns, calls and tokens in order, with the account', async () => {
    const { reports, observer } = listening();
    const { paced } = await shop(open, observer);
    await paced.createSession(eft());
    await paced.sessionDetails(SESSION_ID);
    expect(reports.map((one) => [one.event, one.account, 'call' in one && one.call])).toEqual([
      ['turnTaken', 'shop', 'create'],
      ['callEnded', 'shop', 'authorize'],
      ['tokenRenewed', 'shop', false],
      ['callEnded', 'shop', 'create'],
      ['turnTaken', 'shop', 'poll'],
      ['callEnded', 'shop', 'details'],
    ]);
  });

  test.each([
    ['2xx', open],
    ['3xx', answering(302)],
    ['4xx', answering(404)],
    ['429', answering(429)],
    ['5xx', answering(503)],
    ['interrupted', reset],
    ['interrupted', truncate(200)],
  ] as const)('receives a call that ended as %s', async (expected, behaviour) => {
    const { reports, observer } = listening();
    const { paced } = await shop(behaviour, observer);
    await poll(paced);
    expect(
      reports.flatMap((one) => (one.event === 'callEnded' ? [[one.call, one.class]] : [])),
    ).toContainEqual(['details', expected]);
  });

  test('receives the reason why nothing could be sent', async () => {
    const { reports, observer } = listening();
    const { paced, service } = await shop(open, observer);
    await service.stop();
    await poll(paced);
    expect(reports).toContainEqual(
      expect.objectContaining({ call: 'authorize', class: 'unreachable', reason: 'ECONNREFUSED' }),
    );
  });

  test('receives one report of a pause’s beginning, one for each call that the pause refuses, and one of its end', async () => {
    const { reports, observer } = listening();
    let status = 503;
    const { paced } = await shop((response, ...rest) => {
      if (status === 200) open(response, ...rest);
      else json(response, status, {});
    }, observer);
    for (let failures = 0; failures < 5; failures += 1) await poll(paced);
    paced.stopWaiting();
    await poll(paced);
    const pause = { cause: 'SERVICE_FAILED', calls: 'polls' };
    expect(reports.filter(({ event }) => event === 'paused')).toMatchObject([{ account: 'shop', ...pause }]);
    expect(reports.at(-1)).toMatchObject({
      event: 'turnedAway',
      account: 'shop',
      call: 'poll',
      isPaused: true,
    });
    status = 200;
    expect(reports.filter(({ event }) => event === 'turnTaken')).toMatchObject(
      Array.from({ length: 5 }, () => ({ isPaused: false })),
    );
    await nextMillisecond();
    await paced.sessionDetails(SESSION_ID, { urgent: true });
    expect(reports.at(-1)).toEqual({ event: 'resumed', account: 'shop' });
  });

  test('that throws does not change the call, and the next observer still receives the reports', async () => {
    const { reports, observer } = listening();
    const fail = (): never => {
      throw new Error('a broken observer');
    };
    const broken = { callEnded: fail, turnTaken: fail, tokenRenewed: fail };
    const { paced } = await shop(open, broken, observer);
    await expect(paced.createSession(eft())).resolves.toMatchObject({ outcome: 'created' });
    expect(reports).not.toHaveLength(0);
  });

  test('receives no data about the session or its payor', async () => {
    const { reports, observer } = listening();
    const { paced } = await shop(open, observer);
    const request = eft();
    await paced.createSession(request);
    await paced.sessionDetails(SESSION_ID);
    const texts = JSON.stringify(reports);
    expect(texts).not.toContain(SESSION_ID);
    expect(texts).not.toContain(String(request.referenceId));
  });
});
