import { expect, test } from '@jest/globals';
import { paysession, startPaysession } from '../../support/cli/run-paysession';

test('the command console prints its address, serves its pages to this machine, and stops on Ctrl-C', async () => {
  const console = startPaysession(['console', '--port', '0'], {
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  });
  const url = /http\S+/.exec(await console.line(/^listening on/))?.[0] ?? '';
  const page = await fetch(url);
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("frame-ancestors 'none'"),
  ]);
  expect(await console.interrupt()).toBe(0);
});

test('the command console refuses a --host that other machines reach before it connects, and names the missing setting', async () => {
  const { code, stderr } = await paysession(['console', '--host', '0.0.0.0', '--port', '0'], {
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('PAYSESSION_CONSOLE_OIDC_ISSUER is missing')]);
});
