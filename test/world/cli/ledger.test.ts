import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { LedgerDatabase, PaymentLedger } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import { recordPaid } from '../../support/ledger/recorded';
import { newDatabase, postgresUrl, testLedger } from '../../support/ledger/test-ledger';
import { eft } from '../../support/requests';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env } = useSandbox();
const folder = mkdtempSync(join(tmpdir(), 'paysession-checkpoints-'));
const kept = join(folder, 'checkpoints.txt');

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('a worker names `ledger migrate` if the ledger has no tables, and records sessions after that command', async () => {
  const withLedger = { ...env, PAYSESSION_LEDGER_URL: await newDatabase() };
  const refused = await paysession(['worker'], { env: withLedger });
  expect(refused.stderr).toMatch(/^error LEDGER_SCHEMA_OUTDATED: .*`paysession ledger migrate`/);
  expect(refused.code).not.toBe(0);

  const doctor = await paysession(['doctor'], { env: withLedger });
  expect(doctor.stdout).toMatch(/✘ Ledger: .*older than this version.*\n(.*\n)*.*paysession ledger migrate/);

  const planned = await paysession(['ledger', 'migrate', '--plan', '--grant', 'shop'], { env: withLedger });
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Would make: 0001-ledger/) });
  expect(planned.stdout).toContain('Would run: grant usage on schema paysession_ledger to "shop"\n');
  expect(planned.stdout).toContain("writers (role, environment) values ('shop', 'default')");
  const named = ['--grant', 'shop', '--environment', 'staging', 'production'];
  const inBoth = await paysession(['ledger', 'migrate', '--plan', ...named], { env: withLedger });
  for (const environment of ['staging', 'production'])
    expect(inBoth.stdout).toContain(`values ('shop', '${environment}')`);
  const unknown = await paysession(['ledger', 'migrate', '--grant', 'shop'], { env: withLedger });
  expect(unknown.stderr).toMatch(/^error LEDGER_REFUSED: The ledger’s server has no role "shop"/);
  expect(await paysession(['ledger', 'migrate'], { env: withLedger })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Made: 0001-ledger/),
  });
  const again = await paysession(['ledger', 'migrate', '--json'], { env: withLedger });
  expect(JSON.parse(again.stdout)).toEqual({ made: [] });

  const worker = startPaysession(['worker'], withLedger);
  await worker.line(/^working for default/);
  const key = newKey();
  const stdin = JSON.stringify(eft('sandbox-completes'));
  await paysession(['start', '--key', key, '--request', '-', '--wait'], { env: withLedger, stdin });

  const shown = await paysession(['ledger', 'show', key], { env: withLedger });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/key claimed +EFT, \$25\.00, account default/);
  expect(shown.stdout).toMatch(/ended +Completed EFT0301, paid/);
  expect(shown.stdout).not.toContain('avery.tremblay');
  const json = await paysession(['ledger', 'show', key, '--json'], { env: withLedger });
  const [claimed] = JSON.parse(json.stdout) as { fact: { kind: string } }[];
  expect(claimed?.fact.kind).toBe('claimed');

  const healthy = await paysession(['doctor'], { env: withLedger });
  expect(healthy.stdout).toMatch(/✔ Ledger: answers, for the environment default/);

  const swept = await paysession(['ledger', 'sweep', '--ended-after', '1m'], { env: withLedger });
  expect(swept.stdout).toMatch(/ended sessions? checked, \d+ fixed\.\n$/);
  // Other tests encrypt sessions on the same Temporal server with their own keys.
  expect(swept.code).toBe(/^warning: \d+ cannot be read/.test(swept.stderr) ? 7 : 0);
  expect(await worker.interrupt()).toBe(0);
});

test.each([
  ['whose URL is not set', {}, 2, /INVALID_SETTINGS.*PAYSESSION_LEDGER_URL is missing/],
  [
    'whose URL is not a PostgreSQL URL',
    { PAYSESSION_LEDGER_URL: 'mysql://u:secret@h/d' },
    2,
    /must be a URL such as postgresql:/,
  ],
  [
    'that does not answer',
    { PAYSESSION_LEDGER_URL: 'postgresql://u:secret@127.0.0.1:1/d' },
    5,
    /LEDGER_UNAVAILABLE/,
  ],
])(
  'a ledger %s fails ledger show with its error code, and the message hides the password',
  async (_what, url, code, message) => {
    const answer = await paysession(['ledger', 'show', 'order-1'], { env: { ...env, ...url } });
    expect(answer.code).toBe(code);
    expect(answer.stderr).toMatch(message);
    expect(answer.stderr).not.toContain('secret');
  },
);

test('the command ledger show exits 3 for a key that the ledger does not know', async () => {
  const url = await postgresUrl();
  const withLedger = { ...env, PAYSESSION_LEDGER_URL: url };
  await paysession(['ledger', 'migrate'], { env: withLedger });
  const answer = await paysession(['ledger', 'show', 'nobody'], { env: withLedger });
  expect(answer).toMatchObject({ code: 3, stderr: expect.stringContaining('SESSION_NOT_FOUND') });
});

test('checkpoints are signed with the user’s own key, and ledger verify compares them and finds an edited entry', async () => {
  const database = await newDatabase();
  const made = await paysession(['ledger', 'new-key', 'shop.example/ledger', '--json']);
  const { signingKey, verifierKey } = JSON.parse(made.stdout) as Record<string, string>;
  const signing = { ...env, PAYSESSION_LEDGER_URL: database, PAYSESSION_LEDGER_SIGNING_KEY: signingKey };
  await paysession(['ledger', 'migrate'], { env: signing });
  const ledger = new PaymentLedger({ url: database });
  const at = '2026-03-01T12:00:00.000Z';
  for (const [key, sessionId] of [
    ['order-1', 'one'],
    ['order-2', 'two'],
  ] as const) {
    await ledger.recordEnded({ ...CLAIM, key, at }, [{ kind: 'opened', at, sessionId, how: 'create' }]);
  }
  await ledger.close();

  const uncovered = await paysession(['ledger', 'verify'], { env: signing });
  expect(uncovered.stdout).toMatch(
    /^4 entries agree with their hashes, and with 0 checkpoints[.]\nEntries that no checkpoint covers yet: 4[.]/,
  );
  const undecided = await paysession(['ledger', 'checkpoint'], { env: signing });
  expect(undecided).toMatchObject({ code: 2, stderr: expect.stringContaining('or else --first') });
  const first = await paysession(['ledger', 'checkpoint', '--first'], { env: signing });
  expect(first).toMatchObject({ code: 0, stderr: 'The checkpoint covers 4 entries, 4 of them new.\n' });
  writeFileSync(kept, first.stdout, { flag: 'a' });
  const after = await paysession(['ledger', 'checkpoint', '--after', kept], { env: signing });
  expect(after).toMatchObject({ code: 0, stdout: first.stdout });

  const auditor = { ...env, PAYSESSION_LEDGER_URL: database };
  const verify = ['ledger', 'verify', '--since', kept, '--key', verifierKey ?? ''];
  expect(await paysession(verify, { env: auditor })).toEqual({
    code: 0,
    stdout: '4 entries agree with their hashes, and with 2 checkpoints.\n',
    stderr: '',
  });

  const owner = new LedgerDatabase(database);
  await owner.query('alter table paysession_ledger.entries disable trigger all');
  await owner.query("update paysession_ledger.entries set body = replace(body, 'two', 'six')");
  await owner.close();
  const found = await paysession(verify, { env: auditor });
  expect(found).toMatchObject({ code: 8, stderr: '' });
  expect(found.stdout).toMatch(
    /^The ledger was changed \(edited\).*\nentry +order-2, number 2, in default\nplace +3\n$/,
  );
});

test('the command ledger checkpoint refuses a ledger that was rewritten since the kept checkpoint, and ledger verify reports this', async () => {
  const made = await paysession(['ledger', 'new-key', 'shop.example/ledger', '--json']);
  const { signingKey } = JSON.parse(made.stdout) as Record<string, string>;
  const { url, ledger, database } = await testLedger();
  const signing = { ...env, PAYSESSION_LEDGER_URL: url, PAYSESSION_LEDGER_SIGNING_KEY: signingKey };
  await ledger.claim(CLAIM);
  const { stdout: first } = await paysession(['ledger', 'checkpoint', '--first'], { env: signing });
  const file = join(folder, 'first.txt');
  writeFileSync(file, first);
  await database.transaction(async (statements) => {
    await statements.query(`set local session_replication_role = 'replica'`);
    for (const table of ['checkpoints', 'log', 'entries', 'claims', 'session_keys'])
      await statements.query(`delete from paysession_ledger.${table}`);
  });
  await ledger.claim({ ...CLAIM, key: 'order-2' });
  const refused = await paysession(['ledger', 'checkpoint', '--after', file], { env: signing });
  expect(refused).toMatchObject({ code: 8, stdout: '', stderr: expect.stringContaining('LEDGER_TAMPERED') });
  const { stdout: other } = await paysession(['ledger', 'checkpoint', '--first'], { env: signing });
  writeFileSync(file, `${first}${other}`);
  const verified = await paysession(['ledger', 'verify', '--since', file], { env: signing });
  expect(verified).toMatchObject({ code: 8, stdout: expect.stringContaining('(rewritten)') });
  writeFileSync(file, `${other}paid\n`);
  const mixed = await paysession(['ledger', 'verify', '--since', file], { env: signing });
  expect(mixed).toMatchObject({ code: 2, stderr: expect.stringContaining('INVALID_FILE') });
});

test('the command ledger verify names the entry that has an unreadable value', async () => {
  const { url, ledger, database } = await testLedger();
  await ledger.claim(CLAIM);
  await database.query(
    'alter table paysession_ledger.entries disable trigger all, drop constraint entries_at_check',
  );
  await database.query(`update paysession_ledger.entries set at = 'infinity'`);
  const found = await paysession(['ledger', 'verify'], { env: { ...env, PAYSESSION_LEDGER_URL: url } });
  expect(found.code).toBe(8);
  expect(found.stdout).toMatch(
    /^The ledger was changed \(unreadable\).*\nentry +order-1, number 1, in default\n$/,
  );
});

test('without a signing key, ledger checkpoint fails; without a verifier key, ledger verify says that signatures were not checked', async () => {
  const withLedger = { ...env, PAYSESSION_LEDGER_URL: await newDatabase() };
  await paysession(['ledger', 'migrate'], { env: withLedger });
  const refused = await paysession(['ledger', 'checkpoint'], { env: withLedger });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('paysession ledger new-key') });
  const verified = await paysession(['ledger', 'verify'], { env: withLedger });
  expect(verified).toMatchObject({ code: 0, stderr: expect.stringContaining('were not checked') });
  const mistyped = await paysession(['ledger', 'verify', '--key', 'shop+1'], { env: withLedger });
  expect(mistyped).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a verifier key') });
});

test('if a key has two claims, ledger show prints the claim of each entry', async () => {
  const { ledger, url } = await testLedger();
  await ledger.claim(CLAIM);
  const shown = () =>
    paysession(['ledger', 'show', CLAIM.key], { env: { ...env, PAYSESSION_LEDGER_URL: url } });
  expect((await shown()).stdout).toMatch(/^NO +TIME +WHAT/);
  await ledger.claim({ ...CLAIM, firstRunId: 'run-2' });
  expect((await shown()).stdout).toMatch(/^NO +CLAIM +TIME +WHAT/);
  expect((await shown()).stdout).toMatch(/^2 +2 .+key claimed/m);
});

test('for a session that Temporal has dropped, the command state prints the ledger’s record, and says so on standard error', async () => {
  const { ledger, url } = await testLedger();
  const key = newKey();
  const { stateHistory, ...known } = await recordPaid(ledger, key);
  const withLedger = { ...env, PAYSESSION_LEDGER_URL: url };
  const state = await paysession(['state', key, '--json'], { env: withLedger });
  expect(state).toMatchObject({ code: 0, stderr: expect.stringContaining('this is the ledger’s record') });
  expect(JSON.parse(state.stdout)).toMatchObject({ phase: 'ended', ...known });
  const history = await paysession(['history', key, '--json'], { env: withLedger });
  expect(JSON.parse(history.stdout)).toMatchObject({ states: stateHistory });
  const at = '2026-06-01T00:00:00.000Z';
  await ledger.record({ ...CLAIM, key }, [{ kind: 'returned', at, amount: 25, code: 'NSF' }]);
  const returned = await paysession(['state', key], { env: withLedger });
  expect(returned.stdout).toMatch(/^returned +2026-06-01 NSF: Not sufficient funds$/m);
  expect(returned.stdout).toMatch(/^next +Do not deliver yet[.] Collect the amount once more/m);
  const asked = await paysession(['state', key, '--json'], { env: withLedger });
  expect(JSON.parse(asked.stdout)).toMatchObject({ returnCode: 'NSF', returnAdvice: 'presentAgain' });
  const shown = await paysession(['ledger', 'show', key], { env: withLedger });
  expect(shown.stdout).toMatch(/money returned +\$25\.00, NSF: Not sufficient funds$/m);
  expect(returned.stdout).toContain(`paysession ledger handled --by NAME --reason TEXT ${key}`);
  const list = async () =>
    (await paysession(['ledger', 'list', '--waiting', '--json'], { env: withLedger })).stdout;
  expect(JSON.parse(await list())).toMatchObject([{ key }]);
  const handle = ['ledger', 'handled', key, '--by', 'ann', '--reason', 'paid by card'];
  expect((await paysession(handle, { env: withLedger })).stdout).toBe(`${key}: recorded as handled\n`);
  expect((await paysession([...handle, '--json'], { env: withLedger })).stdout).toContain('alreadyHandled');
  expect(JSON.parse(await list())).toEqual([]);
  const done = await paysession(['state', key], { env: withLedger });
  expect(done.stdout).toMatch(/^handled +\d{4}-/m);
  expect(done.stdout).not.toMatch(/^next/m);
  const entries = await paysession(['ledger', 'show', key], { env: withLedger });
  expect(entries.stdout).toMatch(/return handled +by ann, paid by card$/m);
  const cancelled = await paysession(['cancel', key], { env: withLedger });
  expect(cancelled).toMatchObject({ code: 3, stderr: expect.stringContaining('the ledger has its record') });
});
