import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkHere, forwardSecret } from '../../../cli/commands/webhooks/forward';
import { triggerWebhook } from '../../../cli/commands/webhooks/send-one';
import { newSecret } from '../../../cli/commands/webhooks/new-secret';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-forward-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

// `paysession listen --forward` forwards webhook messages to a receiver on this machine, signed with a secret.
test('the secret of forwarded messages is kept in the data folder, in a file that only its owner can read', async () => {
  const data = join(folder, 'data');
  const secret = await forwardSecret({ data });
  expect(secret).toMatch(/^whsec_/);
  expect(await forwardSecret({ data })).toBe(secret);
  expect(readFileSync(join(data, 'listen-secret.txt'), 'utf8')).toBe(`${secret}\n`);
  expect(statSync(join(data, 'listen-secret.txt')).mode & 0o777).toBe(0o600);
  expect(await forwardSecret({ data: join(folder, 'other') })).not.toBe(secret);
});

test('a secret from the option --secret is used for forwarded messages, and not stored', async () => {
  const secret = newSecret();
  expect(await forwardSecret({ secret, data: folder })).toBe(secret);
  expect(await forwardSecret({ data: folder })).not.toBe(secret);
});

test('the error about a file without a valid secret names the file, and does not show the file’s content', async () => {
  writeFileSync(join(folder, 'listen-secret.txt'), 'hunter2');
  const refused = forwardSecret({ data: folder });
  await expect(refused).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringMatching(/listen-secret\.txt must be `whsec_`.*--secret/),
  });
  await expect(refused).rejects.not.toThrow(/hunter2/);
});

test.each(['https://shop.example/webhooks', 'http://10.0.0.1/', 'ftp://localhost/', 'nowhere'])(
  '--forward refuses the URL %s, which is not of this machine',
  (url) => {
    expect(() => {
      checkHere('--forward', url, 'for others, set PAYSESSION_WEBHOOK_URL');
    }).toThrow(/--forward must be a URL of this machine.*; for others, set PAYSESSION_WEBHOOK_URL/);
  },
);

test('a signed example for a receiver on another machine is refused, and the error does not suggest PAYSESSION_WEBHOOK_URL', async () => {
  const triggered = triggerWebhook('payment.returned', {
    forward: 'https://shop.example/webhooks',
    data: folder,
  });
  await expect(triggered).rejects.toThrow(
    /--forward must be a URL of this machine.*a signed example must not leave it/,
  );
  await expect(triggered).rejects.not.toThrow(/PAYSESSION_WEBHOOK_URL/);
});
