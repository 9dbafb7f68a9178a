import { expect, test } from '@jest/globals';
import { examine, examineSettings } from '../../../cli/commands/doctor/checks';

test.each([
  ['PAYSESSION_CODEC_TOKEN', 'x', 'must be 16 to 4096'],
  ['PAYSESSION_CODEC_TOKEN_FILE', '/no/such/token', 'cannot be read'],
  ['PAYSESSION_LEDGER_SIGNING_KEY', 'PRIVATE+KEY+shop.example+0123abcd+c2VjcmV0', 'must be a key from'],
  ['PAYSESSION_TEMPORAL_SHA256', 'none', 'must be 64 hexadecimal digits'],
  ['PAYSESSION_TEST_SERVER_SHA256', 'none', 'must be 64 hexadecimal digits'],
  ['PAYSESSION_CONSOLE_PUBLIC_URL', 'none', 'must be'],
])(
  'doctor reports the invalid setting %s=%s, and can still examine the servers',
  async (name, value, found) => {
    const { findings, value: settings } = await examineSettings({ HOME: '/nonexistent', [name]: value });
    expect(findings).toEqual([
      { subject: name, ok: false, found: expect.stringContaining(found), fix: expect.any(String) },
    ]);
    expect(settings).toBeDefined();
  },
);

test('doctor reports a malformed cache folder and goes on to other settings', async () => {
  const findings = await examine({
    PATH: '/nonexistent',
    PAYSESSION_CACHE_DIR: 'a\tb',
    PAYSESSION_LEDGER_URL: 'x',
  });
  const wrong = findings.filter(({ ok }) => !ok).map(({ subject }) => subject);
  expect(wrong).toEqual(expect.arrayContaining(['PAYSESSION_CACHE_DIR', 'PAYSESSION_LEDGER_URL']));
});
