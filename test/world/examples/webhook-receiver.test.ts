import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { webhookPost } from '../../../ledger';
import { SECRET } from '../../support/ledger/webhooks/receiver';
import { until } from '../../support/wait';
import { commandsOf, firstLine, startCommand } from '../../support/examples/commands';

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const post = webhookPost({ allowsLoopback: true });

let receiver: ChildProcess;
let url: string;
let output = '';

beforeAll(async () => {
  const settings = { PAYSESSION_WEBHOOK_SECRET: SECRET, PORT: '0' };
  // With `exec`, the server replaces the shell, so that the test can stop it.
  receiver = startCommand(`exec ${commandsOf('webhook-receiver')[0] ?? ''}`, settings);
  url = (await firstLine(receiver)).replace('listening on ', '');
  receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
});

afterAll(async () => {
  await post.close();
  receiver.kill();
  await once(receiver, 'close');
});

const paid = (key: string) => ({
  id: `msg_${key}`,
  body: JSON.stringify({ type: 'session.paid', timestamp: '2026-05-06T14:00:00.000Z', data: { key } }),
});

const send = (key: string, secret = SECRET) => post.send({ name: 'shop', url, secrets: [secret] }, paid(key));

test('the example webhook receiver delivers a paid order once, and refuses a message with a wrong signature', async () => {
  const taken = { delivered: true, outcome: 'HTTP 204' };
  expect([await send('order-1'), await send('order-1')]).toEqual([taken, taken]);
  expect(await send('order-2', OTHER_SECRET)).toEqual({ delivered: false, outcome: 'HTTP 401' });
  // Once the receiver prints this last order, it has handled all earlier messages.
  expect(await send('order-3')).toEqual(taken);
  await until(
    () => Promise.resolve(output),
    (text) => text.includes('order-3'),
  );
  expect(output).toBe('delivered order-1\ndelivered order-3\n');
});
