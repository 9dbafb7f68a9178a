import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { OpsEvent } from '../../../ledger';
import { filesOf, linkPackages } from '../../support/docs/snippets';
import { SECRET } from '../../support/ledger/webhooks/receiver';

const SUMMARY = 'Payment calls of west are paused: SERVICE_FAILED.';
const PAUSED: OpsEvent = {
  type: 'ops.account_paused',
  timestamp: '2026-05-06T14:00:00.000Z',
  data: { environment: 'default', account: 'west', cause: 'SERVICE_FAILED' },
};
const EVENT = JSON.stringify(PAUSED);

/** Starts one server that plays Slack and PagerDuty. It answers with `services.status`, or with 400 at the path `services.refuses`. */
async function startServices() {
  const taken: (readonly [string | undefined, unknown])[] = [];
  const services: { status: number; refuses?: string } = { status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      taken.push([request.url, JSON.parse(body)]);
      response.writeHead(request.url === services.refuses ? 400 : services.status).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, services, taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

// The adapter is a server in the webhook guide. It receives paysession’s webhooks, and sends messages to Slack and PagerDuty.
test('the webhook guide’s adapter reports a paused account to Slack and PagerDuty, answers 502 if one of them refuses, and sends no second Slack message on the retry', async () => {
  const { server, services, taken, url } = await startServices();
  const project = mkdtempSync(join(tmpdir(), 'paysession-notify-'));
  linkPackages(project, ['standardwebhooks']);
  writeFileSync(join(project, 'notify.mjs'), filesOf('docs/guides/webhooks.md').get('notify.mjs') ?? '');
  const env = {
    ...process.env,
    PORT: '0',
    WEBHOOK_SECRET: SECRET,
    SLACK_URL: `${url}/slack`,
    PAGERDUTY_URL: `${url}/pagerduty`,
    PAGERDUTY_KEY: 'routing-key',
  };
  const adapter = spawn(process.execPath, ['notify.mjs'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(adapter.stdout, 'data')) as [Buffer];
    const send = async (id: string, signedAs = id) => {
      const at = new Date();
      const { status } = await fetch(`http://127.0.0.1:${port.toString().trim()}`, {
        method: 'POST',
        body: EVENT,
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(SECRET).sign(signedAs, at, EVENT),
        },
      });
      return status;
    };
    expect(await send('msg_1')).toBe(204);
    expect(new Map(taken)).toEqual(
      new Map<string, unknown>([
        ['/slack', { text: SUMMARY }],
        [
          '/pagerduty',
          {
            routing_key: 'routing-key',
            event_action: 'trigger',
            dedup_key: 'msg_1',
            payload: { summary: SUMMARY, source: 'paysession', severity: 'error' },
          },
        ],
      ]),
    );
    expect(await send('msg_2', 'msg_1')).toBe(401);
    expect(taken).toHaveLength(2);
    services.status = 500;
    expect(await send('msg_3')).toBe(502);
    services.status = 200;
    expect(await send('msg_3')).toBe(204);
    services.refuses = '/pagerduty';
    expect([await send('msg_4'), await send('msg_4')]).toEqual([502, 502]);
    expect(
      taken
        .slice(6)
        .map(([service]) => service)
        .sort(),
    ).toEqual(['/pagerduty', '/pagerduty', '/slack']);
  } finally {
    adapter.kill();
    await once(adapter, 'exit');
    server.close();
    rmSync(project, { recursive: true });
  }
});
